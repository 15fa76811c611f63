"""Circuit-switched networks that tests of their model share."""

CB22 = "lcan:d=2,u=2,levels=3,max_packet=4"
CB42 = "lcan:d=4,u=2,levels=2,max_packet=4"

SMALL = [
    "lcan:d=2,u=2,levels=4,max_packet=4",
    "lcan:d=4,u=4,levels=2,max_packet=2,data_width=8",
    "lcan:d=4,u=2,levels=2,max_packet=4",
    "lcan:d=3,u=2,levels=3,max_packet=5",
    "lcan:d=4,u=2,levels=3,interconnect=tree,max_packet=3",
    "fattree:r=4,2,3,u=2,3,1,max_packet=4",
    "cm5:levels=2,max_packet=4,data_width=72",
]
