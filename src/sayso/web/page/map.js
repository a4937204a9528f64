// The home from above: rooms, furniture, people, the robot with its way, and where things are believed to be.

import {fill, h, percent, spaced, t} from './dom.js';

const LEAST = 0.03; // less probable places are not drawn
const MARGIN = 0.3; // m

export function showMap(root, app) {
  const {connection} = app;
  const svg = h('svg:svg', {role: 'img', 'aria-label': t('map.title')}), table = h('tbody'), robotWords = h('p', {class: 'faint'});
  root.append(h('section', {class: 'card map'}, svg, robotWords,
    h('details', {}, h('summary', {}, t('map.things')), h('div', {class: 'scroll'}, h('table', {}, table)))));
  let layers = null, home = null;
  const beliefs = new Map(); // object → {place: p}

  const drawHome = given => {
    home = given;
    if (!home) return;
    const [x0, y0, x1, y1] = home.area;
    svg.setAttribute('viewBox', `${x0 - MARGIN} ${-y1 - MARGIN} ${x1 - x0 + 2 * MARGIN} ${y1 - y0 + 2 * MARGIN}`);
    layers = Object.fromEntries(['things', 'way', 'people', 'robot'].map(name => [name, h('svg:g', {class: name})]));
    const world = h('svg:g', {transform: 'scale(1 -1)'}, // y is up in the map
      home.rooms.map(room => h('svg:rect', {class: 'room', x: room.area[0], y: room.area[1], width: room.area[2] - room.area[0], height: room.area[3] - room.area[1], fill: room.color})),
      home.furniture.map(each => h('svg:polygon', {class: 'furniture', points: each.corners.join(' ')}, h('svg:title', {}, each.name))),
      home.walls.map(corners => h('svg:polygon', {class: 'wall', points: corners.join(' ')})), Object.values(layers));
    const names = home.rooms.map(room => h('svg:text', {class: 'room-name', x: (room.area[0] + room.area[2]) / 2, y: -room.area[3] + 0.45}, room.name.replace(/^the /, '')));
    fill(svg, world, names);
    drawAll();
  };

  const spot = (place, index) => { // where to draw the index-th thing of a place
    const furniture = home.furniture.find(each => each.id === place), person = home.people.find(each => each.id === place);
    const points = furniture?.corners;
    let [x, y] = points ? [0, 1].map(axis => points.reduce((sum, corner) => sum + corner[axis], 0) / points.length) : person?.at ?? home.places[place]?.at ?? [];
    if (x === undefined) return null;
    const along = points && Math.hypot(points[1][0] - points[0][0], points[1][1] - points[0][1]) >= Math.hypot(points[2][0] - points[1][0], points[2][1] - points[1][1])
      ? [points[1][0] - points[0][0], points[1][1] - points[0][1]] : points ? [points[2][0] - points[1][0], points[2][1] - points[1][1]] : [0.5, 0];
    const step = [0, 0.22, -0.22, 0.4, -0.4, 0.11, -0.11, 0.31, -0.31][index % 9];
    return [x + step * along[0], y + step * along[1]];
  };

  const drawThings = () => {
    if (!layers) return;
    const used = new Map(), shapes = [], rows = [];
    for (const [object, places] of beliefs) {
      const {name = spaced(object), color = ''} = home.objects[object] ?? {}, paint = CSS.supports('color', color) ? color : 'gray';
      const sorted = Object.entries(places).sort((a, b) => b[1] - a[1]);
      const words = sorted.slice(0, 3).map(([place, p]) => `${home.places[place]?.name ?? spaced(place)} ${percent(p)}`).join(', ');
      rows.push(h('tr', {}, h('th', {scope: 'row'}, name.replace(/^the /, '')), h('td', {}, words)));
      for (const [place, p] of sorted) {
        if (p < LEAST) break;
        const index = used.get(place) ?? 0, at = spot(place, index);
        used.set(place, index + 1);
        if (at) shapes.push(h('svg:circle', {class: 'thing', cx: at[0], cy: at[1], r: 0.06 + 0.09 * Math.sqrt(p), fill: paint, 'fill-opacity': 0.2 + 0.8 * p}, h('svg:title', {}, `${name}: ${words}`)));
      }
    }
    fill(layers.things, shapes);
    fill(table, rows);
  };

  const drawRobot = () => {
    const robot = connection.get('robot');
    if (!layers || !robot) return;
    const [x, y, yaw] = robot.pose;
    fill(layers.robot, h('svg:g', {transform: `translate(${x} ${y}) rotate(${yaw * 180 / Math.PI})`}, h('svg:circle', {r: 0.25}), h('svg:path', {d: 'M-.1 -.13 L.2 0 L-.1 .13 Z'}), h('svg:title', {}, t('map.robot'))));
    const place = home.places[robot.place]?.name ?? spaced(robot.place);
    robotWords.textContent = [place && t('map.at', {place}), robot.holding && t('map.holding', {object: home.objects[robot.holding]?.name ?? spaced(robot.holding)}),
      t('map.battery', {p: `${Math.round(100 * robot.battery)} %`})].filter(Boolean).join(' · ');
  };

  const drawPeople = () => {
    if (!layers) return;
    const seen = connection.get('people') ?? {};
    fill(layers.people, home.people.map(person => {
      const [x, y] = seen[person.id] ?? person.at;
      return h('svg:g', {transform: `translate(${x} ${y}) scale(1 -1)`, class: person.id in seen ? 'seen' : null}, h('svg:circle', {r: 0.18}), h('svg:text', {y: -0.28}, person.name), h('svg:title', {}, person.name));
    }));
  };

  const drawWay = () => {
    if (layers) fill(layers.way, h('svg:polyline', {points: (connection.get('path') ?? []).join(' ')}));
  };
  const drawAll = () => { drawThings(); drawRobot(); drawPeople(); drawWay(); };

  const ends = [
    connection.on('belief/', (places, key) => {
      if (places) beliefs.set(key.slice(7), places); else beliefs.delete(key.slice(7));
      drawThings();
    }),
    connection.on('home', drawHome), connection.on('robot', drawRobot), connection.on('people', drawPeople), connection.on('path', drawWay),
  ];
  return () => ends.forEach(end => end());
}
