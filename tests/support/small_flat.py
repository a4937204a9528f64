"""A home with one room, one table and one mug, with comments at every place where people write some."""

DOMAIN = """# My flat.
include: [sayso:skills.yaml, sayso:intents.yaml]
name: flat
speaker: eve
scene: scene.yaml

places:  # of the flat
  kitchen: {kind: room, pose: [1.0, 0.8, 0.0]}
  table: {names: [table], inside: kitchen, pose: [2.0, 1.4, 1.571], surface: true}  # the big one

objects:
  my_mug:  # from grandma
    names: [my mug]
    category: cup
    attributes: {color: green}
    usual: {table: 3}

people:
  eve: {usual: {kitchen: 1}}
"""
SCENE = """# The flat from above.
include: [sayso:scenes/palette.yaml, sayso:scenes/furniture.yaml, sayso:scenes/things.yaml]
name: flat
rooms:
  kitchen: {area: [0, 0, 5, 4], floor: {pattern: tiles, colors: ["#dfe0da", "#c9ccc6"], tile: 0.5}}
walls:
  - {start: [0, 0], end: [5, 0]}
  - {start: [0, 4], end: [5, 4]}
  - {start: [0, 0], end: [0, 4]}
  - {start: [5, 0], end: [5, 4]}
furniture:
  table: {shape: table, at: [2.0, 2.2], yaw: -90}  # in the middle
objects:
  my_mug: {shape: cup, on: table, at: [0.0, 0.14], colors: {main: green}}
people:
  eve: {at: [4.2, 3.2], yaw: -140}
robot: {at: [1.0, 0.8], yaw: 0}
"""
