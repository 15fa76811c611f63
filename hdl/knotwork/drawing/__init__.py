"""Pictures of networks (SVG), and their graphs as files for other programs.

`svg` draws: `boxes` says where routers and nodes stand and which links join them, `curves` how
links pass between them, `marks` shows what `highlights` requests, and has the colours and their
legend. `panels` is one picture or a grid of them; `trees` and `unfolded` lay out routing trees and
circuits in place of the network. `graph_files` writes the formats of other programs.
"""
