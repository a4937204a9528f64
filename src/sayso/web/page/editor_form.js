// The form of what is selected in the editor.

import {h, spaced, t} from './dom.js';
import {doorName, roomOf} from './editor_plan.js';

export const words = text => text.split(/[,\n]/).map(each => each.trim()).filter(Boolean);
export const lines = text => text.split('\n').map(each => each.trim()).filter(Boolean);

export function field(name, value, change, {tall = false, hint = ''} = {}) {
  const input = tall ? h('textarea', {rows: 5}, value) : h('input', {type: 'text', value});
  input.addEventListener('change', () => change(input.value));
  return h('label', {class: 'field'}, h('span', {}, t(`editor.${name}`)), input, hint && h('small', {class: 'faint'}, hint));
}

export function choice(name, options, value, change) {
  const select = h('select', {}, Object.entries(options).map(([id, label]) => h('option', {value: id, selected: id === value}, label)));
  select.addEventListener('change', () => change(select.value));
  return h('label', {class: 'field'}, h('span', {}, t(`editor.${name}`)), select);
}

// All that can be edited: kind → id → its data with `name`. Of what stands on the plan, `stands` says where.
export function sectionsOf(home) {
  const named = (entries, name, more = () => ({})) => Object.fromEntries(entries.map(([id, each]) => [id, {...each, name: name(id, each), ...more(id, each)}]));
  const spoken = (id, each) => each.names?.[0] ?? spaced(id), places = Object.entries(home.places), {plan} = home;
  const decor = Object.entries(plan?.furniture ?? {}).filter(each => each[1].kind === 'decor');
  return {
    furniture: named(places.filter(each => each[1].kind === 'furniture'), spoken, id => ({stands: plan?.furniture[id]})),
    place: named(places.filter(each => each[1].kind !== 'furniture'), spoken, (id, each) => ({stands: each})),
    door: named(Object.entries(plan?.doors ?? {}), id => doorName(home, id)),
    object: named(Object.entries(home.objects), spoken),
    person: named(Object.entries(home.people), spoken, id => ({stands: plan?.people[id]})),
    decor: named(decor, spaced, (id, each) => ({stands: each})),
    intent: named(Object.entries(home.intents), spaced),
  };
}

const usualAsText = usual => Object.entries(usual).map(([place, weight]) => `${place}: ${weight}`).join('\n');
const usualFromText = text => Object.fromEntries(lines(text).map(line => line.split(':')).map(([place, weight]) => [place.trim(), Number(weight ?? 1)]));
const REMOVABLE = ['furniture', 'door', 'object', 'person', 'decor', 'intent'];

// The fields of "kind/id". `edit(what)` does it.
export function formOf(home, key, edit) {
  const [kind, id] = key.split('/'), entity = sectionsOf(home)[kind]?.[id];
  if (!entity) return h('p', {class: 'faint'}, t('editor.choose'));
  const set = (name, value) => edit({do: 'set', kind: kind === 'furniture' ? 'place' : kind, id, field: name, value});
  const usual = () => field('usual', usualAsText(entity.usual), text => set('usual', usualFromText(text)), {tall: true, hint: t('editor.usual_hint')});
  const fields = {
    object: () => [field('category', entity.category, text => set('category', text)), field('color', entity.color, text => set('color', text)), usual()],
    person: usual,
    place: () => roomFields(home, key, edit),
    door: () => field('width', entity.width, text => edit({do: 'door', id, width: Number(text)})),
    intent: () => [h('p', {class: 'faint'}, t('editor.leads', {actions: entity.actions.join(', ')})),
      field('examples', entity.examples.join('\n'), text => edit({do: 'intent', id, examples: lines(text)}), {tall: true, hint: t('editor.examples_hint')})],
  };
  const form = h('form', {}, h('h2', {}, entity.name, ' ', kind !== 'door' && h('code', {}, id)),
    entity.names && field('names', entity.names.join(', '), text => set('names', words(text)), {hint: t('editor.names_hint')}),
    fields[kind]?.(), entity.stands && whereabouts(kind, id, entity.stands, edit),
    REMOVABLE.includes(kind) && h('button', {type: 'button', onclick: () => edit({do: 'remove', kind, id})}, t(kind === 'door' ? 'editor.wall_up' : 'editor.remove')));
  form.addEventListener('submit', event => event.preventDefault());
  return form;
}

function whereabouts(kind, id, {at, yaw}, edit) {
  const moved = change => edit({do: 'move', kind, id, x: at[0], y: at[1], yaw, ...change});
  return h('div', {class: 'numbers'}, field('x', at[0], text => moved({x: Number(text)})), field('y', at[1], text => moved({y: Number(text)})), field('yaw', yaw, text => moved({yaw: Number(text)})));
}

// Where the walls of a room are.
function roomFields(home, key, edit) {
  const room = roomOf(home, key);
  return room && h('fieldset', {}, h('legend', {}, t('editor.walls')), h('div', {class: 'numbers four'}, ['west', 'south', 'east', 'north'].map((edge, index) =>
    field(edge, room.area[index], text => edit({do: 'room', id: room.id, edges: {[edge]: Number(text)}})))), h('small', {class: 'faint'}, t('editor.walls_hint')));
}
