import { splitTerms, type IndexEntry, type RankedEntry } from './rank-entries';

/** What a dialog searches. */
export interface SearchSource {
  /** Name of the dialog and of its field. */
  label: string;
  /** Shown while the field is empty. */
  hint: string;
  /** Runs whenever the dialog opens. */
  load: () => Promise<void>;
  findEntries: (query: string) => RankedEntry[];
}

/** Shows the search button. The button, `/` and Ctrl+K open the search. */
export function offerSearch(button: HTMLButtonElement, open: () => void): void {
  button.hidden = false;
  button.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isShortcut && (event.key !== '/' || event.ctrlKey || event.metaKey || isEditing(event.target))) return;
    if (document.querySelector('dialog[open]')) return;
    event.preventDefault();
    open();
  });
}

function isEditing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

/** Reads an index of the documentation. */
export async function fetchIndex(url: string): Promise<IndexEntry[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The index responded with ${response.status}.`);
  return (await response.json()) as IndexEntry[];
}

/** Dialog that searches while the user types: a combobox with a list of links (ARIA Authoring Practices Guide). */
export class SearchDialog {
  private readonly dialog = document.createElement('dialog');
  private readonly input = document.createElement('input');
  private readonly list = document.createElement('div');
  private readonly status = document.createElement('p');
  private options: HTMLAnchorElement[] = [];
  private active = -1;
  /** Says why nothing can be found yet; empty once the source is loaded. */
  private loadStatus = '';

  constructor(private readonly source: SearchSource) {
    this.dialog.className = 'search';
    this.dialog.setAttribute('aria-label', source.label);
    setAttributes(this.input, {
      type: 'search',
      placeholder: source.label,
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-label': source.label,
      'aria-autocomplete': 'list',
      'aria-expanded': 'false',
      'aria-controls': 'search-results',
    });
    setAttributes(this.list, { id: 'search-results', role: 'listbox', 'aria-label': 'Results' });
    setAttributes(this.status, { class: 'search-status', role: 'status' });
    const close = document.createElement('button');
    close.type = 'button';
    close.textContent = 'Close';
    close.addEventListener('click', () => this.dialog.close());
    const head = document.createElement('div');
    head.className = 'search-head';
    head.append(this.input, close);
    this.dialog.append(head, this.status, this.list);
    this.input.addEventListener('input', () => this.showResults());
    this.input.addEventListener('keydown', (event) => this.handleKey(event));
    this.dialog.addEventListener('click', ({ target }) => {
      // A click on the backdrop, or on a result of this page.
      if (target === this.dialog || (target instanceof Element && target.closest('[role="option"]')))
        this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  open(): void {
    this.dialog.showModal();
    this.input.select();
    this.showLoadStatus('Loading …');
    this.source.load().then(
      () => this.showLoadStatus(''),
      () => this.showLoadStatus('The search could not be loaded. Close it and try again.'),
    );
  }

  private showLoadStatus(loadStatus: string): void {
    this.loadStatus = loadStatus;
    this.showResults();
  }

  private showResults(): void {
    const query = this.input.value;
    const results = this.source.findEntries(query);
    this.options = results.map((result, index) => createOption(result, index, splitTerms(query)));
    this.list.replaceChildren(...this.options);
    this.input.setAttribute('aria-expanded', String(results.length > 0));
    this.status.textContent =
      this.loadStatus || (query.trim() === '' ? this.source.hint : describeCount(results.length));
    this.activate(results.length > 0 ? 0 : -1);
  }

  private handleKey(event: KeyboardEvent): void {
    // The keys of an input method, such as Enter for the characters that it proposes, are its own.
    if (event.isComposing) return;
    const count = this.options.length;
    if (event.key === 'Escape') {
      // By default, the key only clears the field.
      event.preventDefault();
      this.dialog.close();
    } else if (event.key === 'Enter') {
      this.options[this.active]?.click();
      event.preventDefault();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && count > 0) {
      this.activate((this.active + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
      event.preventDefault();
    }
  }

  private activate(index: number): void {
    this.options[this.active]?.setAttribute('aria-selected', 'false');
    this.active = index;
    const option = this.options[index];
    if (!option) {
      this.input.removeAttribute('aria-activedescendant');
      return;
    }
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    this.input.setAttribute('aria-activedescendant', option.id);
  }
}

function describeCount(count: number): string {
  if (count === 0) return 'No results.';
  return count === 1 ? '1 result' : `${count} results`;
}

function createOption({ entry, excerpt }: RankedEntry, index: number, terms: readonly string[]): HTMLAnchorElement {
  const option = document.createElement('a');
  setAttributes(option, {
    id: `search-${index}`,
    role: 'option',
    href: entry.u,
    'aria-selected': 'false',
    tabindex: '-1',
  });
  const parts: [tag: string, text: string][] = [
    ['small', entry.p],
    ['strong', entry.h],
    ['span', excerpt],
  ];
  option.append(
    ...parts.map(([tag, text]) => {
      const part = document.createElement(tag);
      part.append(...markTerms(text, terms));
      return part;
    }),
  );
  return option;
}

/** Marks the terms in the text. */
function markTerms(text: string, terms: readonly string[]): Node[] {
  if (terms.length === 0) return [document.createTextNode(text)];
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text.split(new RegExp(`(${escaped.join('|')})`, 'gi')).map((part, index) => {
    if (index % 2 === 0) return document.createTextNode(part);
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

function setAttributes(element: Element, attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}
