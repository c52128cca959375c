"""A store of features against streaming: passes of a frozen network, seconds, accuracy.

cases     photographs and a network with ImageNet weights; turned molecules; digits, the small form
features  the values of every sample at every element that anyone asks for, computed once
heads     training on tables of columns, and what it reaches on moved samples
certify   what is known of a linear head's gradient over the whole group
report    tables and the picture
"""
