// The tab Home: the home as a draft that is edited, checked, tried, compared and saved.

import {bar, fill, h, t} from './dom.js';
import {formOf, sectionsOf} from './editor_form.js';
import {newForms} from './editor_new.js';
import {plan} from './editor_plan.js';

const SOON = 400; // ms without an edit until the draft is checked

export async function show(root, app) {
  let home = null, key = '', queue = Promise.resolve(), timer = null, over = false;
  const drawing = plan({select, edit: what => edit(what)});
  const about = h('p', {class: 'faint'}), undo = button('undo', () => post('undo', () => ({}))), save = button('save', saved), changes = button('diff', compare);
  const nowhere = h('p', {}), copy = h('a', {class: 'button', href: 'api/editor/copy', download: ''}, t('editor.copy'));
  const again = button('reload', () => post('reload', () => ({}))), form = h('section', {class: 'card', 'aria-live': 'off'}), more = h('div');
  const picker = h('select', {'aria-label': t('editor.pick')}), difference = h('pre', {class: 'diff', hidden: true, tabindex: 0, 'aria-label': t('editor.diff')});
  const status = h('p', {class: 'faint', role: 'status'}), list = h('ul', {class: 'problems'}), note = h('p', {role: 'status', class: 'saved-note'});
  const sentence = h('input', {type: 'text', maxlength: 200, autocomplete: 'off', 'aria-label': t('editor.sentence'), placeholder: t('editor.sentence')});
  const result = h('div', {'aria-live': 'polite'}), tries = h('form', {class: 'type'}, sentence, h('button', {type: 'submit'}, t('editor.try')));
  picker.addEventListener('change', () => select(picker.value));
  tries.addEventListener('submit', event => { event.preventDefault(); attempt(sentence.value.trim()); });
  const body = h('div', {hidden: true},
    h('section', {class: 'card editor-head'}, about, nowhere, h('div', {class: 'actions'}, undo, changes, save, copy, again), note, difference),
    h('div', {class: 'columns editor'},
      h('section', {class: 'column'}, h('section', {class: 'card'}, drawing.svg, h('p', {class: 'faint'}, t('editor.drag'))),
        h('section', {class: 'card'}, h('h2', {}, t('editor.problems')), status, list)),
      h('section', {class: 'column'}, picker, form, more, h('section', {class: 'card'}, h('h2', {}, t('editor.try_title')), tries, result))));
  const failed = h('p', {class: 'alert soft', role: 'alert', hidden: true});
  root.append(failed, body);

  function button(name, act) {
    return h('button', {type: 'button', onclick: act}, t(`editor.${name}`));
  }

  function select(item) {
    if (item === key) return;
    key = item;
    picker.value = key;
    drawing.mark(key);
    showForm();
  }

  function showForm() {
    fill(form, formOf(home, key, edit));
    form.querySelector('form')?.addEventListener('submit', event => event.preventDefault());
    if (home.read_only) for (const each of form.querySelectorAll('input, textarea, select, button')) each.disabled = true;
  }

  function showHome(given) {
    home = given;
    failed.hidden = true;
    body.hidden = false;
    about.textContent = [`${home.name}: ${home.files.join(', ')}`, home.target && t('editor.target', {file: home.target}),
      home.read_only && t('editor.read_only')].filter(Boolean).join(' · ');
    nowhere.hidden = copy.hidden = Boolean(home.target);
    save.hidden = !home.target;
    nowhere.textContent = t('editor.no_target', {file: home.files[0]});
    undo.disabled = home.read_only || !home.undoable;
    changes.disabled = !home.edited;
    save.disabled = home.read_only || !home.edited || !home.target;
    again.disabled = home.read_only;
    difference.hidden = true;
    fill(picker, h('option', {value: ''}, t('editor.choose')), Object.entries(sectionsOf(home)).map(([kind, entities]) => h('optgroup', {label: t(`editor.kinds.${kind}`)},
      Object.entries(entities).map(([id, each]) => h('option', {value: `${kind}/${id}`}, each.name)))));
    picker.value = key;
    drawing.draw(home, key);
    showForm();
    if (home.read_only) fill(more); else if (!more.querySelector('[open]')) fill(more, newForms(home, edit));
    clearTimeout(timer);
    timer = setTimeout(() => check(false), SOON);
  }

  function edit(what, then = '') { // one after the other, each on top of the one before
    queue = queue.then(async () => {
      const answer = await app.post('/api/editor/edit', {revision: home.revision, edit: what});
      if (over) return;
      if (!answer.ok) {
        app.toast(answer.message || t('not_connected'));
        const fresh = await app.get('/api/editor/home');
        showHome(fresh.ok ? fresh : home);
        return;
      }
      note.textContent = '';
      if (then) { fill(more); key = then; }
      showHome(answer);
    });
  }

  async function post(name, asked) {
    await queue;
    const answer = await app.post(`/api/editor/${name}`, asked());
    if (over) return null;
    if (answer.ok) showHome(answer.home ?? answer); else app.toast(answer.message || t('not_connected'));
    return answer.ok ? answer : null;
  }

  async function check(reach) {
    const {revision} = home;
    status.textContent = t(reach ? 'editor.checking_reach' : 'editor.checking');
    const answer = await app.post('/api/editor/check', {reach});
    if (over || revision !== home.revision) return;
    if (!answer.ok) { status.textContent = answer.message || t('not_connected'); return; }
    fill(list, answer.problems.map(each => h('li', {}, h('code', {}, `${each.file}:${each.line}`), ` ${each.text}`)));
    status.textContent = answer.problems.length ? t('editor.found', {count: answer.problems.length}) : t(reach ? 'editor.fine' : 'editor.checking_reach');
    if (!reach && answer.problems.length === 0) check(true);
  }

  async function compare() {
    if (!difference.hidden) { difference.hidden = true; return; }
    await queue;
    const answer = await app.get('/api/editor/diff');
    if (!answer.ok) { app.toast(answer.message || t('not_connected')); return; }
    fill(difference, answer.diff.split('\n').map(line => h('span', {class: {'+': 'plus', '-': 'minus', '@': 'at'}[line[0]] ?? null}, `${line}\n`)));
    difference.hidden = false;
  }

  async function saved() {
    note.textContent = t('editor.saving');
    save.disabled = true;
    const answer = await post('save', () => ({revision: home.revision}));
    if (over) return;
    save.disabled = home.read_only || !home.edited || !home.target;
    note.textContent = answer ? t('editor.saved', {file: answer.file}) : '';
  }

  async function attempt(text) {
    if (!text) return;
    fill(result, h('p', {class: 'faint'}, t('editor.trying')));
    const answer = await app.post('/api/editor/try', {text});
    if (over) return;
    if (!answer.ok) { fill(result, h('p', {}, answer.message || t('not_connected'))); return; }
    fill(result, h('p', {}, h('strong', {}, t('stories.decided', {decision: t(`decision.${answer.decision}`)})), answer.reason && `: ${answer.reason}`),
      answer.question && answer.question !== answer.reason && h('p', {class: 'asked'}, answer.question),
      answer.clauses.map(clause => h('section', {class: 'part bars'}, h('p', {}, `“${clause.text}”`), h('h3', {}, t('editor.intents')),
        Object.entries(clause.intents).map(([name, p]) => bar(name, p)), clause.candidates.length > 0 && h('h3', {}, t('editor.actions')), clause.candidates.map(({call, p}) => bar(call, p)))));
  }

  const first = await app.get('/api/editor/home');
  if (first.ok) showHome(first);
  else { failed.textContent = first.message || t('not_connected'); failed.hidden = false; }
  return () => { over = true; clearTimeout(timer); drawing.end(); };
}
