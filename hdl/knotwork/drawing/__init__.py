"""Pictures of networks (SVG), and their graphs as files for other programs.

`svg` draws: `boxes` says where routers and nodes stand, `link_curves` how links pass between them,
`arrows` and `badges` show what `highlights` asks for, `legend` explains the colours of `style`.
`trees` lays out routing trees in place of the network. `graph_files` writes the formats of other
programs. All take the links from `links`.
"""
