// The Settings page: draws what /api/state describes, sends what is operated, and follows /api/events (PROTOCOL.md).
// Everything from the server is inserted as text, never as markup.

/** The page's own words. */
const T = {
	about: title => `About ${title}`,
	actions: 'Actions',
	add: 'Add a setting',
	addItem: 'Add an item',
	allSettings: 'all settings',
	breadcrumb: 'Breadcrumb',
	bundle: 'Described by ',
	bytes: n => n === 1 ? '1 byte' : `${n} bytes`,
	cancel: 'Cancel',
	changed: n => `${n} changed`,
	changedElsewhere: value => `Changed elsewhere to ${value} while you were typing. `,
	close: 'Close',
	connecting: 'The connection is lost. Trying again…',
	data: 'Base64',
	default: 'Default',
	defaulted: value => `${value} (default)`,
	delete: 'Delete',
	deleteAll: 'Delete all…',
	deleteTitle: 'Delete all settings?',
	edit: 'Edit',
	editAgain: 'Edit again',
	elsewhere: 'elsewhere',
	empty: 'empty',
	emptyDomain: 'Nothing is set in this domain yet.',
	emptyPane: 'There is nothing to set here.',
	ended: 'The settings server has ended. To go on, run ',
	expired: 'This page may no longer talk to its server. To go on, run ',
	failed: status => `The server could not do this (status ${status}).`,
	file: 'Stored in ',
	forced: 'Set by your administrator.',
	found: (n, query) => `${n === 1 ? '1 setting' : `${n} settings`} found` + (query && ` for “${query}”`),
	isNow: (title, value) => `${title} is now ${value}.`,
	key: 'Key',
	keyMissing: 'Enter a key.',
	keyTaken: 'This key is already there.',
	link: 'Link to this setting',
	loading: 'Loading…',
	locked: 'Locked: ',
	manyChanged: n => `${n} settings were changed elsewhere.`,
	no: 'false',
	noChanges: 'Nothing has been changed yet.',
	noneChanged: 'No setting differs from its default.',
	noneFound: query => `No setting is found for “${query}”.`,
	notSaved: (typed, reason) => `“${typed}” was not saved. ${reason} `,
	notSet: 'not set',
	off: 'Off',
	on: 'On',
	only: 'Changed only',
	onlyChanged: 'Changed settings',
	otherPage: 'another page',
	panes: 'Panes',
	problems: n => `Problems in the settings bundle: ${n}`,
	recent: 'Recent changes',
	remove: 'Remove',
	reset: value => `Reset to ${value}`,
	resetAll: 'Reset all settings…',
	resetMany: n => n === 1 ? 'Reset 1 setting' : `Reset ${n} settings`,
	resetNote: 'This can be undone.',
	resetPane: 'Reset pane…',
	resetTitle: name => `Reset ${name}?`,
	save: 'Save',
	saveAgain: 'Save again to replace it.',
	search: 'Search',
	searchAll: 'Search all settings',
	secret: '••••••',
	several: n => `${n} settings changed`,
	show: 'Show',
	showAll: 'Show all settings',
	skip: 'Skip to the settings',
	source: 'Value comes from',
	thisPage: 'this page',
	title: title => `${title} – Settings`,
	type: 'Type',
	types: { string: 'String', boolean: 'Boolean', integer: 'Integer', real: 'Real', date: 'Date', data: 'Data', array: 'Array',
		dictionary: 'Dictionary' },
	undo: 'Undo',
	undone: 'Undone',
	unreachable: 'The settings server does not answer.',
	useIt: 'Use it',
	value: 'Value',
	wrong: { integer: 'Enter a whole number of at most 64 bits.', real: 'Enter a number, such as 0.5, 1e6, inf or nan.',
		date: 'Enter a date such as 2026-01-31T18:30:00Z.', data: 'This is not Base64.' },
	yes: 'true',
};

// Elements

const $ = id => document.getElementById(id);
const find = selector => document.querySelector(selector);
const all = selector => [...document.querySelectorAll(selector)];
const focused = () => document.activeElement;
let counter = 0;
const unique = () => `id${counter += 1}`;

/** Makes an element, as in el('p.hint', { id }, 'text'). What is not a property becomes an attribute. */
function el(name, properties, ...children) {
	const [tag, ...classes] = name.split('.');
	const element = document.createElement(tag);
	if (classes.length) element.className = classes.join(' ');
	for (const [key, value] of Object.entries(properties ?? {})) {
		if (key in element && key !== 'list') element[key] = value;
		else if (value !== undefined) element.setAttribute(key, value);
	}
	element.append(...children.filter(Boolean));
	return element;
}

/** An element with a text of the app's or of a value, whose language and direction are not the page's. */
const theirs = (name, text, properties) => el(name, { dir: 'auto', lang: state.language, ...properties }, text);
const code = text => el('code', { dir: 'ltr' }, text);
const unseen = text => el('span.unseen', {}, text);
const labelled = (text, input) => el('label', {}, el('span', {}, text), input);
/** Values and keys are not completed or corrected. */
const EXACT = { autocomplete: 'off', spellcheck: false, dir: 'auto' };
/** A button; what it acts on is said, but not shown. */
const button = (text, onclick, name = '', of) => el(`button${name}`, { type: 'button', onclick }, text, of && unseen(`: ${of}`));
const to = () => document.dir === 'rtl' ? ' ← ' : ' → ';
const fromTo = (old, next) => el('span', {}, theirs('bdi.old', old), to(), theirs('bdi', next));

// Values: an integer stays a string of digits, so that none of its 64 bits is lost.

const isNumber = value => value?.type === 'integer' || value?.type === 'real';

function isSame(a, b) {
	if (!a || !b) return !a && !b;
	if (a.type !== b.type) return isNumber(a) && isNumber(b) && a.value.length < 16 && Number(a.value) === Number(b.value);
	if (typeof a.value !== 'object') return a.value === b.value;
	const keys = Object.keys(a.value);
	return keys.length === Object.keys(b.value).length
		&& keys.every(key => Object.hasOwn(b.value, key) && isSame(a.value[key], b.value[key]));
}

function isOn(row, value) {
	if (isSame(value, row.on) || isSame(value, row.off)) return isSame(value, row.on);
	return isNumber(value) ? Number(value.value) !== 0 : /^\s*([ty]|[1-9])/i.test(value?.value);
}

/** A value as one line of text. */
function plain(value, length = 60) {
	if (!value) return T.notSet;
	const inner = item => item.type === 'string' ? `“${item.value.slice(0, length)}”` : plain(item, length);
	const some = items => items.slice(0, length).join(', ') + (items.length > length ? ', …' : '');
	const cut = text => text.length > length ? `${text.slice(0, length)}…` : text;
	switch (value.type) {
		case 'boolean': return value.value ? T.yes : T.no;
		case 'data': return `${T.bytes(Math.floor(value.value.replace(/=+$/, '').length * 3 / 4))} ${cut(value.value)}`;
		case 'array': return cut(`[${some(value.value.slice(0, length + 1).map(inner))}]`);
		case 'dictionary':
			return cut(`{${some(Object.entries(value.value).slice(0, length + 1).map(([key, item]) => `${key}: ${inner(item)}`))}}`);
		default: return cut(value.value) || T.empty;
	}
}

// Access

/** What the printed address has led here with. The browser sends the cookie to each server of this machine, but not this. */
const KEY = (() => {
	const given = location.hash.startsWith('#key=') ? location.hash.slice(5) : null;
	try {
		if (given) localStorage.setItem('key', given);
		return given ?? localStorage.getItem('key') ?? '';
	} catch {
		return given ?? '';
	} finally {
		if (given) history.replaceState(null, '', '/');
	}
})();

// The model

/** Tells this page's changes from those of others. */
const PAGE = String(crypto.getRandomValues(new BigUint64Array(1))[0]);

let state = null;
let changes = [];
/** As many as the server keeps. */
const CHANGES_MAX = 200;
let hasEnded = false;
let settings = new Map();
const panes = new Map();
/** Each row of the description with its place, and the first one of each key. */
let entries = [];
const byKey = new Map();
/** How many requests for a key have no answer yet: until then its control shows what was operated. */
const pending = new Map();

const setting = key => settings.get(key) ?? { value: null };
const isRaw = () => state.bundle === null;
const isResettable = key => setting(key).isChanged && !setting(key).forced;
const titleOf = key => byKey.get(key)?.row.title || key;
const nameOf = pane => pane.title || pane.id;

function describe(description) {
	state = { ...description, panes: description.panes ?? [] };
	settings = new Map(Object.entries(state.settings));
	changes = state.changes;
	entries = state.panes.flatMap(pane => pane.groups.flatMap(group => group.rows.map(row => ({ pane, group, row }))));
	panes.clear();
	byKey.clear();
	for (const pane of state.panes) panes.set(pane.id, pane);
	for (const entry of entries) if (entry.row.key !== undefined && !byKey.has(entry.row.key)) byKey.set(entry.row.key, entry);
}

/** A value as a person knows it: the title of a choice, the position of a switch, nothing of a secret. */
function named(key, value, length) {
	const row = byKey.get(key)?.row;
	if (row?.isSecure && value?.value) return T.secret;
	if (row?.kind === 'toggle' && value) return isOn(row, value) ? T.on : T.off;
	return row?.choices?.find(choice => isSame(choice.value, value))?.title ?? plain(value, length);
}

/** An own value in a change; without one, the default holds. */
function ownNamed(key, value) {
	const { base } = setting(key);
	return value || !base ? named(key, value) : T.defaulted(named(key, base));
}

function summary({ keys }) {
	const { key, old, new: next } = keys[0];
	return keys.length > 1 ? T.several(keys.length) : `${titleOf(key)}: ${ownNamed(key, old)}${to()}${ownNamed(key, next)}`;
}

/** Takes a change into the list, where one with its number is replaced. */
function keep(change) {
	changes = [change, ...changes.filter(other => other.number !== change.number)].sort((a, b) => b.number - a.number)
		.slice(0, CHANGES_MAX);
}

// Requests

/** Sends a change of some keys, and shows the result before the event about it arrives. */
async function send(path, body, keys) {
	for (const key of keys) pending.set(key, (pending.get(key) ?? 0) + 1);
	try {
		const answer = await fetch(`/api/${path}`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', 'X-Settings-Page': KEY },
			body: JSON.stringify({ page: PAGE, ...body }),
		}).catch(() => { throw new Error(T.unreachable); });
		const result = await answer.json().catch(() => ({}));
		if (!answer.ok) throw new Error(result.error || T.failed(answer.status));
		const { change } = result;
		if (change) keep(change);
		for (const { key, new: own } of change?.keys ?? []) {
			const old = setting(key);
			const value = old.forced ? old.value : own ?? old.base;
			if (isRaw() && !value) settings.delete(key);
			else settings.set(key, { ...old, own, value, isChanged: !!own && !isSame(own, old.base) });
		}
		return change;
	} finally {
		for (const key of keys) {
			if (pending.get(key) > 1) pending.set(key, pending.get(key) - 1);
			else pending.delete(key);
		}
		refresh(keys);
		// Without events, only the state says what else the change did.
		if (events.readyState !== EventSource.OPEN && !hasEnded) load();
	}
}

async function reset(keys) {
	try {
		const change = await send('reset', { keys }, keys);
		if (change) toast(summary(change), change);
	} catch (error) {
		toast(error.message, null, true);
	}
}

async function undo(change) {
	const keys = change.keys.map(each => each.key);
	try {
		const undoing = await send('undo', { change: change.number }, keys);
		keep({ ...change, isUndone: true });
		toast(`${T.undone}. ${undoing ? summary(undoing) : ''}`);
	} catch (error) {
		toast(error.message, null, true);
	}
	refresh(keys);
	if (focused() === document.body) (first(keys[0]) ?? find('h1')).focus();
}

// One row

/** The views on the page by key. There is more than one if a bundle has a key twice. */
const shown = new Map();
const first = key => shown.get(key)?.[0];

class RowView {
	constructor(entry) {
		Object.assign(this, entry.row, { pane: entry.pane, id: unique(), parts: {} });
		this.title ||= this.key;
		shown.set(this.key, [...shown.get(this.key) ?? [], this]);
		this.control = (KINDS[this.kind] ?? KINDS.title)(this);
		const { inputs, elements, isGroup } = this.control;
		const title = theirs(inputs[0] && !isGroup ? 'label.title' : 'span.title', this.title);
		if (title.localName === 'label') title.htmlFor = inputs[0].id = unique();
		if (isGroup) title.ariaHidden = 'true';
		this.words = el('div.words', {}, title);
		this.more = el('button.icon', { type: 'button', ariaExpanded: 'false', onclick: () => this.expand() }, '⋯',
			unseen(T.about(this.title)));
		this.element = el(`${isGroup ? 'fieldset' : 'div'}.row.${this.kind}.${this.style ?? ''}`, { id: this.id, 'data-key': this.key },
			isGroup && theirs('legend.unseen', this.title), this.words, el('div.control', {}, ...elements), this.more);
		const hint = [this.summary, this.footer].filter(Boolean).join('\n');
		this.part('hint', hint, () => theirs('p.hint', hint));
		this.refresh();
	}

	get setting() { return setting(this.key); }

	/** Shows the setting as it is. */
	refresh() {
		const { value, forced, isChanged, base } = this.setting;
		const isMarked = isChanged && this.kind !== 'title';
		this.element.classList.toggle('changed', isMarked);
		for (const input of this.control.inputs) input.disabled = hasEnded || !!forced;
		this.part('lock', forced && JSON.stringify(forced), () => el('p.lock', {}, unseen(T.locked),
			theirs('span', forced.reason || T.forced), ' ', code(forced.file)));
		const words = isMarked && !forced && !hasEnded && T.reset(named(this.key, base, 30));
		this.part('reset', words, () => button(words, () => this.reset(), '.reset', this.title));
		if (this.isHeld || pending.has(this.key)) return;
		const isOther = this.control.isTyping?.() && !isSame(value, this.before);
		this.part('notice', isOther && JSON.stringify(value), () => el('p.notice', { role: 'status' },
			T.changedElsewhere(named(this.key, value)), button(T.useIt, () => this.restore(true), '.quiet')));
		if (!this.control.isTyping?.()) this.restore();
	}

	/** Has the control show the stored value, and forgets what was typed. */
	restore(hasFocus) {
		this.before = this.setting.value;
		this.control.show(this.before);
		this.part('notice');
		if (hasFocus) this.focus();
	}

	/** Puts a part under the title and ties it to the control, or takes it away; `what` identifies its content. */
	part(name, what, make) {
		const old = this.parts[name];
		if (old?.what === (what || undefined)) return;
		old?.element.remove();
		delete this.parts[name];
		if (what) {
			const element = Object.assign(make(), { id: `${this.id}-${name}` });
			this.parts[name] = { what, element };
			this.words.append(element);
		}
		const ids = ['hint', 'lock', 'error', 'notice'].filter(each => this.parts[each]).map(each => `${this.id}-${each}`);
		for (const input of this.control.isGroup ? [this.element] : this.control.inputs) {
			input.setAttribute('aria-describedby', ids.join(' '));
		}
	}

	async store(value, typed, continues) {
		this.forgive();
		this.before = value;
		try {
			const change = await send('set', { key: this.key, value, continues }, [this.key]);
			if (change && !this.isHeld) toast(summary(change), change);
			return change;
		} catch (error) {
			this.fail(error.message, typed);
			return null;
		}
	}

	/** Shows the stored value again, and beside it why another was refused. */
	fail(message, typed) {
		this.isHeld = false;
		this.forgive();
		this.restore();
		const isTyped = typed !== undefined;
		this.part('error', message, () => el('p.error', { role: 'alert' },
			isTyped ? T.notSaved(this.isSecure ? T.secret : typed, message) : message,
			isTyped && button(T.editAgain, () => this.retype(typed), '.quiet')));
		for (const input of this.control.inputs) input.ariaInvalid = 'true';
	}

	forgive() {
		this.part('error');
		for (const input of this.control.inputs) input.ariaInvalid = null;
	}

	retype(typed) {
		const { field } = this.control;
		Object.assign(field, { value: typed, isTyped: true });
		field.focus();
	}

	async reset() {
		this.forgive();
		await reset([this.key]);
		this.focus();
	}

	focus() {
		const enabled = this.control.inputs.filter(input => !input.disabled);
		(enabled.find(input => input.checked) ?? enabled[0] ?? this.more).focus();
	}

	/** Opens or closes what there is to know about the setting. */
	expand() {
		const { value, base, source } = this.setting;
		this.details?.remove();
		this.more.ariaExpanded = this.more.ariaExpanded !== 'true';
		if (this.more.ariaExpanded !== 'true') return;
		const terms = [[T.key, code(this.key)], [T.type, T.types[value?.type]], [T.default, base && named(this.key, base)],
			[T.source, source]];
		this.details = el('div.details', {},
			el('dl', {}, ...terms.filter(([, text]) => text).map(([term, text]) => el('div', {}, el('dt', {}, term), theirs('dd', text)))),
			el('a', { href: placeOf(this.pane.id, this.key) }, T.link));
		this.element.append(this.details);
	}
}

/** The control of each kind: its elements, the inputs among them, and how it shows a value. */
const KINDS = {
	toggle(view) {
		const box = el('input', { type: 'checkbox', role: 'switch', onchange: () => view.store(box.checked ? view.on : view.off) });
		return { elements: [box], inputs: [box], show(value) { box.checked = isOn(view, value); } };
	},

	slider(view) {
		const { min, max, isWhole } = view;
		const range = el('input', { type: 'range', min, max, step: isWhole ? 1 : 10 ** Math.floor(Math.log10((max - min) / 100)) });
		const field = el('input.number', { type: 'number', min, max, step: isWhole ? 1 : 'any' });
		const drag = new Drag(view);
		range.oninput = () => {
			field.value = range.value;
			drag.move({ type: isWhole ? 'integer' : 'real', value: range.value });
		};
		range.onchange = () => drag.end();
		return typed(view, {
			elements: [range, el('label', {}, theirs('span.unseen', view.title), field)], inputs: [range, field], field,
			text: value => isNumber(value) && Number.isFinite(Number(value.value)) ? value.value : '',
			valueOf: text => text === '' ? null : { type: isWhole && /^-?\d+$/.test(text) ? 'integer' : 'real', value: text },
			show(value) {
				const text = this.text(value);
				range.value = text || min;
				field.value = text;
				field.isTyped = false;
			},
		});
	},

	text(view) {
		const field = el('input', {
			type: view.isSecure ? 'password' : 'text', autocomplete: view.isSecure ? 'new-password' : 'off', dir: 'auto',
			inputMode: { number: 'decimal', url: 'url', email: 'email' }[view.keyboard] ?? 'text',
			autocapitalize: view.capitalization ?? 'none', spellcheck: !!view.isCorrected && !view.isSecure,
		});
		const eye = button(T.show, () => {
			eye.ariaPressed = field.type === 'password';
			field.type = field.type === 'password' ? 'text' : 'password';
		}, '.quiet', view.title);
		eye.ariaPressed = 'false';
		return typed(view, {
			elements: view.isSecure ? [field, eye] : [field], inputs: [field], field,
			text: value => !value ? '' : typeof value.value === 'string' ? value.value : plain(value),
			valueOf(text) {
				const value = WRITTEN[view.type]?.(text);
				return value === undefined ? { type: 'string', value: text } : { type: view.type, value };
			},
			show(value) {
				field.value = this.text(value);
				field.isTyped = false;
			},
		});
	},

	choice: view => view.style === 'radio' ? radios(view) : menu(view),

	title(view) {
		const text = theirs('span.value', '');
		return { elements: [text], inputs: [], show(value) { text.textContent = named(view.key, value, 400); } };
	},
};

/** Has a field sent when it is left or by Enter, and never if nothing was typed in it. Escape takes back what was typed. */
function typed(view, control) {
	const { field } = control;
	const stored = () => control.text(view.setting.value);
	control.isTyping = () => field.isTyped && focused() === field;
	field.oninput = () => { field.isTyped = true; };
	field.onblur = field.onchange = () => {
		if (!field.isTyped) return;
		const text = field.value;
		const value = control.valueOf(text);
		if (field.validity.badInput) view.fail(T.wrong.real);
		else if (!value || text === stored()) view.restore();
		else {
			field.isTyped = false;
			view.store(value, text);
		}
	};
	field.onkeydown = event => {
		if (event.key === 'Enter') field.onchange();
		if (event.key === 'Escape' && field.isTyped) view.restore();
	};
	return control;
}

function menu(view) {
	const other = el('option', { value: '', disabled: true });
	const select = el('select', {}, other, ...view.choices.map((choice, index) => theirs('option', choice.title, { value: index })));
	select.onchange = () => view.store(view.choices[select.value].value);
	return {
		elements: [select], inputs: [select],
		show(value) {
			const index = view.choices.findIndex(choice => isSame(choice.value, value));
			other.hidden = index >= 0;
			other.textContent = plain(value);
			select.value = index < 0 ? '' : index;
		},
	};
}

function radios(view) {
	const name = unique();
	const inputs = view.choices.map(choice => el('input', { type: 'radio', name, onchange: () => view.store(choice.value) }));
	return {
		elements: inputs.map((input, index) => el('label', {}, input, theirs('span', view.choices[index].title))),
		inputs, isGroup: true,
		show(value) { inputs.forEach((input, index) => { input.checked = isSame(view.choices[index].value, value); }); },
	};
}

/** Sends a slider's positions while it moves, at most ten a second, as one change that one undo takes back. */
class Drag {
	constructor(view) { this.view = view; }

	move(value) {
		clearTimeout(this.timer);
		this.view.isHeld = true;
		this.hasEnded = false;
		this.next = value;
		if (!this.isSending) this.run();
	}

	end() {
		this.hasEnded = true;
		if (!this.isSending) this.finish();
	}

	async run() {
		this.isSending = true;
		while (this.next) {
			const value = this.next;
			this.next = null;
			this.change = await this.view.store(value, undefined, this.change?.number) ?? this.change;
			if (!this.hasEnded) await new Promise(done => setTimeout(done, 100));
		}
		this.isSending = false;
		if (this.hasEnded) this.finish();
	}

	finish() {
		this.view.isHeld = false;
		this.view.refresh();
		if (this.change) toast(summary(this.change), this.change);
		// Arrow keys that follow each other are one movement, too.
		this.timer = setTimeout(() => { this.change = null; }, 1000);
	}
}

// The table of a domain without a bundle

class TableRow {
	constructor(key) {
		this.key = key;
		shown.set(key, [this]);
		this.type = el('td.type');
		this.value = theirs('td.preview', '');
		this.edit = button(T.edit, () => editValue(key), '.quiet', key);
		this.delete = button(T.delete, async () => {
			const next = this.element.nextElementSibling ?? this.element.previousElementSibling;
			await reset([key]);
			if (this.element.isConnected) this.focus();
			else (next?.querySelector(':enabled') ?? $('add'))?.focus();
		}, '.quiet', key);
		this.element = el('tr', { 'data-key': key }, el('th', { scope: 'row' }, el('code', { dir: 'auto' }, key)), this.type, this.value,
			el('td.actions', {}, this.edit, this.delete));
		this.refresh();
	}

	refresh() {
		const { value, forced, own, source } = setting(this.key);
		this.type.textContent = T.types[value?.type] ?? '';
		this.value.textContent = plain(value, 200);
		this.edit.disabled = hasEnded || !!forced;
		this.delete.disabled = hasEnded || !!forced || !own;
		const note = el(forced ? 'p.lock' : 'p.hint', { id: unique() }, forced && unseen(T.locked),
			forced ? forced.reason || T.forced : source, ' ', forced && code(forced.file));
		if (forced || !own) this.value.append(note);
		this.edit.setAttribute('aria-describedby', forced ? note.id : '');
	}

	focus() { (this.edit.disabled ? find('h1') : this.edit).focus(); }
}

/** Puts rows for new keys into the table, and takes those of deleted ones out of it. */
function refreshTable(keys) {
	for (const key of keys) {
		if (!settings.has(key)) {
			first(key)?.element?.remove();
			shown.delete(key);
			byKey.delete(key);
		} else if (!byKey.has(key)) {
			byKey.set(key, { pane: state.panes[0], group: {}, row: { kind: 'value', title: key, key } });
			const next = all('tbody tr').find(row => row.getAttribute('data-key') > key);
			if (matches(byKey.get(key))) find('tbody')?.insertBefore(new TableRow(key).element, next ?? null);
		}
	}
	entries = [...byKey.values()];
	if (currentView.kind !== 'recent' && !find('table') !== !entries.some(matches)) redraw();
}

// The editor of values

class Invalid extends Error {
	constructor(message, field) {
		super(message);
		field.ariaInvalid = 'true';
		field.focus();
	}
}

function startOf(type) {
	const now = `${new Date().toISOString().slice(0, 19)}Z`;
	return { type, value: { boolean: false, integer: '0', real: '0', string: '', date: now, data: '', array: [], dictionary: {} }[type] };
}

/** How what was typed is written in each type, or undefined if it has no meaning there. */
const WRITTEN = {
	string: text => text,
	integer(text) {
		if (!/^[-+]?\d{1,20}$/.test(text)) return undefined;
		const number = BigInt(text.replace('+', ''));
		return number < -(2n ** 63n) || number >= 2n ** 64n ? undefined : String(number);
	},
	real: text => /^[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf|nan)$/i.test(text) ? text.replace('+', '').toLowerCase() : undefined,
	date(text) {
		if (/^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return text;
		const date = new Date(text);
		return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
	},
	data(text) {
		try { return btoa(atob(text)); } catch { return undefined; }
	},
};

/** A type and an editor for its value; arrays and dictionaries hold further ones. */
function valueEditor(value) {
	const type = el('select', {}, ...Object.entries(T.types).map(([name, title]) => el('option', { value: name }, title)));
	const place = el('div.editor');
	const editor = { element: el('div.typed', {}, labelled(T.type, type), place), place };
	const choose = current => {
		Object.assign(editor, typeof current.value === 'object' ? containerEditor(current) : fieldEditor(current));
		place.replaceChildren(editor.inner);
	};
	type.value = value.type;
	choose(value);
	type.onchange = () => choose(startOf(type.value));
	return editor;
}

function fieldEditor({ type, value }) {
	if (type === 'boolean') {
		const box = el('input', { type: 'checkbox', role: 'switch', checked: value });
		return { inner: labelled(T.value, box), read: () => ({ type, value: box.checked }) };
	}
	const isLong = type === 'string' || type === 'data';
	const field = el(isLong ? 'textarea' : 'input', { ...EXACT, dir: type === 'string' ? 'auto' : 'ltr' });
	if (isLong) field.rows = Math.min(8, 1 + value.split('\n').length);
	field.value = value;
	const text = () => type === 'string' ? field.value : field.value.replace(/\s/g, '');
	const read = () => {
		field.ariaInvalid = null;
		// A value that was not touched goes back as it came, to the last digit.
		const written = text() === value ? value : WRITTEN[type](text());
		if (written === undefined) throw new Invalid(T.wrong[type], field);
		return { type, value: written };
	};
	return { inner: labelled(type === 'data' ? T.data : T.value, field), read };
}

function containerEditor({ type, value }) {
	const isKeyed = type === 'dictionary';
	const items = el(isKeyed ? 'ul' : 'ol');
	const legend = el('legend');
	const count = () => { legend.textContent = `${T.types[type]} (${items.children.length})`; };
	const append = (key, item) => {
		const editor = valueEditor(item);
		const name = el('input', { ...EXACT, value: key });
		const line = el('li', {}, isKeyed && labelled(T.key, name), editor.element, button(T.remove, () => {
			const next = line.nextElementSibling ?? line.previousElementSibling;
			line.remove();
			count();
			(next?.querySelector(':scope > button') ?? add).focus();
		}, '.quiet'));
		line.read = () => [name, editor.read()];
		items.append(line);
		return isKeyed ? name : editor.place.querySelector('textarea');
	};
	const add = button(T.addItem, () => {
		append('', startOf('string')).focus();
		count();
	});
	for (const [key, item] of Object.entries(value)) append(key, item);
	count();
	const read = () => {
		const pairs = [...items.children].map(line => line.read());
		if (!isKeyed) return { type, value: pairs.map(([, item]) => item) };
		const keys = new Map();
		for (const [name, item] of pairs) {
			name.ariaInvalid = null;
			if (keys.has(name.value)) throw new Invalid(T.keyTaken, name);
			keys.set(name.value, item);
		}
		return { type, value: Object.fromEntries(keys) };
	};
	return { inner: el('fieldset', {}, legend, items, add), read };
}

/** Opens the editor for a key's value, or without a key for a new one. */
function editValue(key) {
	const isNew = key === undefined;
	let before = setting(key).value;
	const editor = valueEditor(before ?? startOf('string'));
	const name = el('input', EXACT);
	const error = el('p.error', { role: 'alert' });
	const dialog = ask(isNew ? T.add : `${T.edit} ${titleOf(key)}`, T.save, async () => {
		error.textContent = '';
		name.ariaInvalid = null;
		try {
			if (isNew && name.value === '') throw new Invalid(T.keyMissing, name);
			if (isNew && setting(name.value).own) throw new Invalid(T.keyTaken, name);
			const target = isNew ? name.value : key;
			const value = editor.read();
			const current = setting(target).value;
			if (!isNew && !isSame(current, before)) {
				before = current;
				throw new Error(T.changedElsewhere(named(key, current)) + T.saveAgain);
			}
			const change = JSON.stringify(value) === JSON.stringify(before) ? null : await send('set', { key: target, value }, [target]);
			dialog.close();
			if (change) toast(summary(change), change);
			if (isNew) first(target)?.focus();
		} catch (problem) {
			error.textContent = problem.message;
		}
	}, isNew && labelled(T.key, name), editor.element, error);
	dialog.className = 'wide';
	(isNew ? name : editor.place.querySelector('input, textarea, button')).focus();
}

// Dialogs and messages

function ask(title, action, act, ...content) {
	const dialog = $('dialog');
	const opener = focused();
	const form = el('form', { method: 'dialog' }, theirs('h2', title, { id: 'dialog-title' }), el('div.content', {}, ...content),
		el('div.buttons', {}, button(T.cancel, () => dialog.close()), el('button.primary', {}, action)));
	form.onsubmit = event => {
		event.preventDefault();
		act();
	};
	dialog.className = '';
	dialog.replaceChildren(form);
	dialog.onclose = () => {
		if (focused() === document.body && opener.isConnected) opener.focus();
	};
	dialog.showModal();
	return dialog;
}

/** Lists what a reset would change, and does it if it is confirmed. */
function confirmReset(name, candidates) {
	const keys = candidates.filter(isResettable);
	const items = keys.map(key => el('li', {}, theirs('b', titleOf(key)), fromTo(named(key, setting(key).own), named(key, setting(key).base))));
	ask(isRaw() ? T.deleteTitle : T.resetTitle(name), isRaw() ? T.delete : T.resetMany(keys.length), async () => {
		$('dialog').close();
		await reset(keys);
		find('h1').focus();
	}, el('p', {}, T.resetNote), el('ul.listed', { tabIndex: 0 }, ...items));
}

let toastTimer;
function toast(text, change, isError) {
	const place = $('toast');
	clearTimeout(toastTimer);
	place.replaceChildren(el('div', {}, theirs(isError ? 'p.error' : 'p', text, { role: isError ? 'alert' : undefined }),
		change && button(T.undo, () => undo(change), '.quiet', summary(change)),
		button(T.close, () => place.replaceChildren(), '.quiet')));
	toastTimer = setTimeout(() => { if (!place.matches(':hover, :focus-within')) place.replaceChildren(); }, 10000);
}

let news = new Set();
/** Says to a screen reader what changed elsewhere, many changes as one sentence. */
function say(keys) {
	if (!news.size) {
		setTimeout(() => {
			$('live').textContent = news.size > 3 ? T.manyChanged(news.size)
				: [...news].map(key => T.isNow(titleOf(key), named(key, setting(key).value))).join(' ');
			news = new Set();
		}, 300);
	}
	for (const key of keys) news.add(key);
}

// Views: #/PANE/KEY is a pane or a setting in it, #?q=TEXT&changed=1 a search, #recent the list of changes.

let currentView = null;
/** The pane to go back to from a search. */
let lastPane = null;

const placeOf = (pane, key) => `#/${[pane, ...key === undefined ? [] : [key]].map(encodeURIComponent).join('/')}`;
const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

function viewOf(hash) {
	const words = new URLSearchParams(hash.startsWith('#?') ? hash.slice(2) : '');
	const view = { kind: 'found', query: words.get('q') ?? '', isOnly: words.has('changed'), keep: new Set() };
	view.terms = fold(view.query).split(/\s+/).filter(Boolean);
	if (hash === '#recent') view.kind = 'recent';
	else if (!hash.startsWith('#?')) {
		const [id, key] = hash.slice(2).split('/').map(part => { try { return decodeURIComponent(part); } catch { return part; } });
		Object.assign(view, { kind: 'pane', pane: panes.get(id) ?? byKey.get(key)?.pane ?? state.panes[0], key });
	}
	return view;
}

function pathOf(pane) {
	const path = [];
	for (let each = pane; each && !path.includes(each); each = panes.get(each.parent)) path.unshift(each);
	return path;
}

/** Everything of a row that can be searched; a secret can't. */
function words({ row, group }) {
	const { value } = setting(row.key);
	const values = row.key === undefined || row.isSecure || !value ? [] : [named(row.key, value), plain(value, 2000)];
	return fold([row.title, row.key, row.summary, row.footer, group.title, group.footer, ...(row.choices ?? []).map(choice => choice.title), ...values]
		.join('\n'));
}

/** Whether the current view has the row. A setting that is reset stays in it until the filter changes. */
function matches({ row, group }) {
	const { kind, isOnly, terms, keep } = currentView;
	if (kind !== 'found') return true;
	if (isOnly && !keep.has(row.key) && !(setting(row.key).isChanged && row.kind !== 'title')) return false;
	if (isOnly) keep.add(row.key);
	const text = terms.length ? words({ row, group }) : '';
	return terms.every(term => text.includes(term));
}

/** Draws the view of the address. */
function render() {
	const last = currentView;
	currentView = viewOf(location.hash);
	if (last?.isOnly && currentView.isOnly && last.query === currentView.query) currentView.keep = last.keep;
	shown.clear();
	const content = document.createDocumentFragment();
	const title = VIEWS[currentView.kind](content, currentView);
	$('main').replaceChildren(content);
	$('main').ariaBusy = null;
	document.title = T.title(title);
	if (focused() !== $('query')) $('query').value = currentView.query;
	$('only').checked = currentView.isOnly;
	refreshMarks();
}

/** Links to a pane and to those above it. */
const linksTo = pane => pathOf(pane).map(each =>
	theirs('a', nameOf(each), { href: placeOf(each.id), ariaCurrent: each === currentView.pane ? 'page' : null }));
const heading = (title, ...more) => el('div.head', {}, theirs('h1', title, { tabIndex: -1 }), ...more);
const empty = text => el('p.empty', {}, text);
const count = keys => Object.assign(el('span.count', { hidden: true }), { keys });

const VIEWS = {
	pane(content, { pane, key }) {
		const links = linksTo(pane);
		const title = pane ? nameOf(pane) : state.title;
		lastPane = pane;
		if (links.length > 1) content.append(el('nav.path', { ariaLabel: T.breadcrumb }, ...links));
		const resetPane = button(isRaw() ? T.deleteAll : T.resetPane, () => confirmReset(title, keysOf(pane)), '.quiet');
		content.append(heading(title, Object.assign(resetPane, { id: 'reset-pane' })));
		if (links.length < 2 && state.problems.length) {
			content.append(el('details.problems', { open: state.problems.length < 5 },
				el('summary', {}, T.problems(state.problems.length)), ...state.problems.map(text => theirs('p', text))));
		}
		if (isRaw()) drawTable(content, entries);
		else if (!pane?.groups.some(group => group.rows.length)) content.append(empty(T.emptyPane));
		else content.append(...pane.groups.map(group => drawGroup(group, group.rows.map(row => ({ pane, group, row })))));
		if (key !== undefined) queueMicrotask(() => reveal(key));
		return title;
	},

	found(content, { query, isOnly, terms }) {
		const found = entries.filter(matches);
		const text = T.found(found.length, query.trim());
		const title = isOnly && !terms.length ? T.onlyChanged : text;
		content.append(heading(title, button(T.showAll, leaveSearch, '.quiet')));
		if (!found.length) content.append(empty(terms.length ? T.noneFound(query.trim()) : T.noneChanged));
		else if (isRaw()) drawTable(content, found);
		else {
			for (const [pane, inPane] of Map.groupBy(found, entry => entry.pane)) {
				content.append(el('section', {}, el('h2.path', {}, ...linksTo(pane)), ...[...Map.groupBy(inPane, entry => entry.group)].map(([group, rows]) => drawGroup({ ...group, footer: null }, rows))));
			}
		}
		$('live').textContent = text;
		return title;
	},

	recent(content) {
		content.append(heading(T.recent), changes.length ? el('ol.card.changes', {}, ...changes.map(drawChange)) : empty(T.noChanges));
		return T.recent;
	},
};

function drawTable(content, found) {
	const heads = [T.key, T.type, T.value, T.actions].map(text => el('th', { scope: 'col' }, text));
	content.append(el('p.above', {}, Object.assign(button(T.add, () => editValue(), '.primary'), { id: 'add', disabled: hasEnded })),
		found.length ? el('table.card', {}, el('thead', {}, el('tr', {}, ...heads)),
			el('tbody', {}, ...found.map(({ row }) => new TableRow(row.key).element))) : empty(T.emptyDomain));
}

function drawGroup(group, rows) {
	const footer = group.footer && theirs('p.footer', group.footer, { id: unique() });
	const card = rows.length && el('div.card', {}, ...rows.map(drawRow));
	if (!group.title) return el('div.group', {}, card, footer);
	return el('fieldset.group', { 'aria-describedby': footer?.id },
		el('legend', {}, theirs('span.name', group.title), ' ', count(group.rows.map(row => row.key))), card, footer);
}

function drawRow(entry) {
	const { row } = entry;
	if (row.kind !== 'pane') return new RowView(entry).element;
	return el('a.row.child', { href: placeOf(row.pane) }, theirs('span.title', row.title || row.pane), count(keysOf(panes.get(row.pane))));
}

function drawChange(change) {
	const writer = change.writer !== 'page' ? T.elsewhere : change.page === PAGE ? T.thisPage : T.otherPage;
	return el(change.isUndone ? 'li.undone' : 'li', {},
		el('div.words', {},
			el('ul', {}, ...change.keys.map(({ key, old, new: next }) => el('li', {},
				theirs('a', titleOf(key), { href: placeOf(byKey.get(key)?.pane.id ?? '', key) }), ' ',
				fromTo(ownNamed(key, old), ownNamed(key, next))))),
			el('p.hint', {}, el('time', { dateTime: change.time }, new Date(change.time).toLocaleString()), ` · ${writer}`)),
		change.isUndone ? el('span.hint', {}, T.undone)
			: Object.assign(button(T.undo, () => undo(change), '', summary(change)), { disabled: hasEnded }));
}

const flash = element => element.animate({ backgroundColor: ['var(--tint)', 'transparent'] }, 2000);

/** Shows one setting of the pane, and gives it the focus. */
function reveal(key) {
	const view = first(key);
	if (!view) return;
	view.element.scrollIntoView({ block: 'center' });
	flash(view.element);
	view.focus();
}

/** Draws the view again, with the focus and what is being typed where they were. */
function redraw() {
	const active = focused();
	const key = active.closest('[data-key]')?.getAttribute('data-key');
	const place = all('main :is(button, a)').indexOf(active);
	const { isTyped, value } = active;
	// Taking the field away must not send what is half typed.
	active.isTyped = false;
	render();
	const view = first(key);
	if (isTyped && view) view.retype(value);
	else if (view) (active.ariaExpanded ? view.more : view).focus();
	else if (place >= 0) (all('main :is(button, a)')[place] ?? find('h1')).focus();
}

// Marks of changed settings, and what depends on them

const keysOf = pane => isRaw() ? [...byKey.keys()]
	: pane?.groups.flatMap(group => group.rows).filter(row => row.key !== undefined && row.kind !== 'title').map(row => row.key) ?? [];
const allKeys = () => state.panes.flatMap(keysOf);

function drawPanes() {
	const below = parent => state.panes.filter(pane => (panes.has(pane.parent) ? pane.parent : null) === parent).map(pane => {
		const inner = below(pane.id);
		return el('li', {}, el('a', { href: placeOf(pane.id) }, theirs('span.name', nameOf(pane)), count(keysOf(pane))),
			inner.length && el('ul', {}, ...inner));
	});
	$('panes').replaceChildren(...below(null));
}

function refreshMarks() {
	for (const element of all('.count')) {
		const n = isRaw() ? 0 : element.keys.filter(key => setting(key).isChanged && byKey.get(key).row.kind !== 'title').length;
		element.hidden = !n;
		element.textContent = n ? T.changed(n) : '';
	}
	const here = currentView.kind === 'pane' && currentView.pane ? placeOf(currentView.pane.id) : location.hash;
	for (const link of all('#side a')) link.ariaCurrent = link.getAttribute('href') === here ? 'page' : null;
	if ($('reset-pane')) $('reset-pane').hidden = hasEnded || !keysOf(currentView.pane).some(isResettable);
	$('reset-all').hidden = hasEnded || isRaw() || !allKeys().some(isResettable);
}

/** Brings everything that shows these keys up to date. */
function refresh(keys) {
	if (isRaw()) refreshTable(keys);
	for (const key of keys) for (const view of shown.get(key) ?? []) view.refresh();
	const { kind, isOnly, keep } = currentView;
	if (kind === 'recent' || isOnly && keys.some(key => byKey.has(key) && setting(key).isChanged && !keep.has(key))) redraw();
	refreshMarks();
}

// Following the server

let events = null;
let loading;

function follow() {
	events = new EventSource(`/api/events?page=${PAGE}&key=${KEY}`);
	events.onopen = () => {
		// Only now: what changes from here on is told, and waits for the state that it changes.
		loading = load();
		$('connection').hidden = true;
	};
	events.onerror = () => {
		if (!hasEnded) notify(T.connecting);
		// The browser tries again by itself if the connection broke, but not if it was refused.
		if (events.readyState === EventSource.CLOSED) setTimeout(async () => { if (await load()) follow(); }, state ? 2000 : 0);
	};
	events.addEventListener('update', event => loading.then(() => state && update(JSON.parse(event.data))));
	events.addEventListener('end', () => end(T.ended));
}

function update({ settings: changed, changes: listed }) {
	for (const change of listed) keep(change);
	const own = new Set(listed.filter(change => change.page === PAGE).flatMap(change => change.keys.map(({ key }) => key)));
	const keys = Object.keys(changed);
	const elsewhere = keys.filter(key => !own.has(key) && !isSame(setting(key).value, changed[key]?.value));
	for (const key of keys) {
		if (changed[key]) settings.set(key, changed[key]);
		else settings.delete(key);
	}
	refresh(keys);
	if (elsewhere.length) say(elsewhere);
	for (const { element } of elsewhere.flatMap(key => shown.get(key) ?? [])) flash(element);
}

/** Gets the state, and draws what is different. Returns whether the server still knows this page. */
async function load() {
	const answer = await fetch('/api/state', { headers: { 'X-Settings-Page': KEY } }).catch(() => null);
	if (answer?.status === 403) end(T.expired);
	if (!answer?.ok) return !hasEnded;
	const isFirst = !state;
	describe(await answer.json());
	document.documentElement.lang = state.language;
	document.dir = /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b/.test(state.language) ? 'rtl' : 'ltr';
	$('app-title').replaceChildren(theirs('span', state.title));
	if (state.title !== state.domain) $('domain').textContent = state.domain;
	$('about-file').replaceChildren(el('p', {}, T.file, code(state.file)), isRaw() ? '' : el('p', {}, T.bundle, code(state.bundle)));
	$('only-label').hidden = isRaw();
	drawPanes();
	if (isFirst) render();
	else redraw();
	return true;
}

function notify(text, command) {
	$('connection').hidden = false;
	$('connection').replaceChildren(text, command ? code(command) : '');
}

function end(text) {
	hasEnded = true;
	events.close();
	notify(text, `defaults settings open ${state?.domain ?? ''}`);
	$('dialog').close();
	$('toast').replaceChildren();
	if (state) redraw();
}

// The frame

function go(hash, isNew) {
	history[isNew ? 'pushState' : 'replaceState'](null, '', hash);
	render();
}

function search() {
	const query = $('query').value;
	const isOnly = $('only').checked;
	if (!state || !query.trim() && !isOnly) return currentView?.kind === 'found' && leaveSearch();
	go(`#?${new URLSearchParams({ ...query.trim() && { q: query }, ...isOnly && { changed: 1 } })}`, currentView.kind !== 'found');
}

function leaveSearch() {
	const isHere = $('query').closest('search').contains(focused());
	$('query').value = '';
	$('live').textContent = '';
	go(lastPane ? placeOf(lastPane.id) : '#/');
	if (!isHere) find('h1').focus();
}

let searchTimer;
$('query').oninput = () => {
	clearTimeout(searchTimer);
	searchTimer = setTimeout(search, 120);
};
$('query').onkeydown = event => {
	if (event.key === 'Enter') search();
	if (event.key !== 'Escape') return;
	$('query').value = '';
	search();
};
$('only').onchange = search;
$('reset-all').onclick = () => confirmReset(T.allSettings, allKeys());

const openPanes = isOpen => {
	$('menu').ariaExpanded = isOpen;
	$('side').className = isOpen ? 'open' : '';
};
$('menu').onclick = () => openPanes($('menu').ariaExpanded !== 'true');
$('side').onclick = event => { if (event.target.closest('a')) openPanes(false); };
$('skip').onclick = event => {
	event.preventDefault();
	find('h1').focus();
};

addEventListener('hashchange', () => {
	if (!state) return;
	$('query').value = '';
	render();
	if (currentView.key !== undefined) return;
	scrollTo(0, 0);
	find('h1').focus({ preventScroll: true });
});

for (const element of all('[data-text]')) element.append(T[element.dataset.text]);
$('query').placeholder = T.search;
$('side').ariaLabel = T.panes;
follow();
