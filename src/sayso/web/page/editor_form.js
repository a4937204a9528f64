// The form of what is selected in the editor, and the forms for new things and sentences.

import {h, t} from './dom.js';

const words = text => text.split(/[,\n]/).map(each => each.trim()).filter(Boolean);
const lines = text => text.split('\n').map(each => each.trim()).filter(Boolean);
const asId = text => text.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^[^a-z]+|_+$/g, '').slice(0, 60);

function field(name, value, change, {tall = false, hint = ''} = {}) {
  const input = tall ? h('textarea', {rows: 5}, value) : h('input', {type: 'text', value});
  input.addEventListener('change', () => change(input.value));
  return h('label', {class: 'field'}, h('span', {}, t(`editor.${name}`)), input, hint && h('small', {class: 'faint'}, hint));
}

function choice(name, options, value, change) {
  const select = h('select', {}, Object.entries(options).map(([id, label]) => h('option', {value: id, selected: id === value}, label)));
  select.addEventListener('change', () => change(select.value));
  return h('label', {class: 'field'}, h('span', {}, t(`editor.${name}`)), select);
}

const usualAsText = usual => Object.entries(usual).map(([place, weight]) => `${place}: ${weight}`).join('\n');
const usualFromText = text => Object.fromEntries(lines(text).map(line => line.split(':')).map(([place, weight]) => [place.trim(), Number(weight ?? 1)]));

// The fields of "kind/id". `edit(what)` does it.
export function formOf(home, key, edit) {
  const [kind, id] = key.split('/');
  const section = {furniture: 'places', place: 'places', object: 'objects', person: 'people', intent: 'intents'}[kind];
  const entity = home[section]?.[id];
  if (!entity) return h('p', {class: 'faint'}, t('editor.choose'));
  const set = (name, value) => edit({do: 'set', kind: kind === 'furniture' ? 'place' : kind, id, field: name, value});
  const remove = h('button', {type: 'button', onclick: () => edit({do: 'remove', kind, id})}, t('editor.remove'));
  const title = h('h2', {}, entity.names?.[0] ?? id.replaceAll('_', ' '), ' ', h('code', {}, id));
  if (kind === 'intent')
    return h('form', {}, title, h('p', {class: 'faint'}, t('editor.leads', {actions: entity.actions.join(', ')})),
      field('examples', entity.examples.join('\n'), text => edit({do: 'intent', id, examples: lines(text)}), {tall: true, hint: t('editor.examples_hint')}), remove);
  const stands = home.plan?.[kind === 'person' ? 'people' : kind === 'furniture' ? 'furniture' : '']?.[id] ?? (kind === 'place' ? entity : null);
  const moved = change => edit({do: 'move', kind, id, x: stands.at[0], y: stands.at[1], yaw: stands.yaw, ...change});
  return h('form', {}, title,
    field('names', entity.names.join(', '), text => set('names', words(text)), {hint: t('editor.names_hint')}),
    kind === 'object' && [field('category', entity.category, text => set('category', text)), field('color', entity.color, text => set('color', text))],
    (kind === 'object' || kind === 'person') && field('usual', usualAsText(entity.usual), text => set('usual', usualFromText(text)), {tall: true, hint: t('editor.usual_hint')}),
    stands && h('div', {class: 'numbers'}, field('x', stands.at[0], text => moved({x: Number(text)})), field('y', stands.at[1], text => moved({y: Number(text)})),
      field('yaw', stands.yaw, text => moved({yaw: Number(text)}))),
    (kind === 'object' || kind === 'person') && remove);
}

// A new thing.
export function newThing(home, edit) {
  const on = Object.fromEntries(Object.entries(home.places).filter(([, place]) => place.surface).map(([id, place]) => [id, place.names[0] ?? id]));
  const given = {on: Object.keys(on)[0], shape: home.plan?.shapes[0]};
  const form = h('form', {}, field('names', '', text => { given.names = words(text); }, {hint: t('editor.names_hint')}), field('category', '', text => { given.category = text; }),
    field('color', '', text => { given.color = text; }), choice('on', on, given.on, value => { given.on = value; }),
    home.plan && choice('shape', Object.fromEntries(home.plan.shapes.map(id => [id, id.replaceAll('_', ' ')])), given.shape, value => { given.shape = value; }),
    h('button', {type: 'submit'}, t('editor.add')));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const id = asId(given.names?.[0] ?? '');
    edit({do: 'add', id, ...given}, `object/${id}`);
  });
  return h('details', {class: 'card'}, h('summary', {}, t('editor.new_thing')), form);
}

// New sentences for something that the robot can do.
export function newIntent(home, edit) {
  const given = {name: '', action: home.actions[0], examples: []};
  const form = h('form', {}, field('intent_name', '', text => { given.name = text; }),
    choice('action', Object.fromEntries(home.actions.map(id => [id, id.replaceAll('_', ' ')])), given.action, value => { given.action = value; }),
    field('examples', '', text => { given.examples = lines(text); }, {tall: true, hint: t('editor.examples_hint')}), h('button', {type: 'submit'}, t('editor.add')));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const id = asId(given.name);
    edit({do: 'intent', id, action: given.action, examples: given.examples}, `intent/${id}`);
  });
  return h('details', {class: 'card'}, h('summary', {}, t('editor.new_intent')), form);
}
