const STORAGE_KEY = 'docs-language';

interface TabGroup {
  root: HTMLElement;
  tabs: HTMLButtonElement[];
  panels: HTMLElement[];
}

/** Turns groups of code blocks into tabs. All groups show the chosen language, which the browser remembers. */
export function createTabGroups(within: ParentNode): void {
  const groups = [...within.querySelectorAll<HTMLElement>('.tabs')].map(createTabGroup);
  const selectLanguage = (language: string) => groups.forEach((group) => showLanguage(group, language));
  for (const group of groups) {
    showLanguage(group, getLanguage(group.panels[0]!));
    for (const [index, tab] of group.tabs.entries()) {
      tab.addEventListener('click', () => {
        const top = tab.getBoundingClientRect().top;
        storeLanguage(tab.dataset.language!);
        selectLanguage(tab.dataset.language!);
        // Groups above may have another height now.
        scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' });
      });
      tab.addEventListener('keydown', (event) => moveFocus(event, group.tabs, index));
    }
  }
  const stored = readStoredLanguage();
  if (stored) selectLanguage(stored);
}

function createTabGroup(root: HTMLElement, groupIndex: number): TabGroup {
  const panels = [...root.querySelectorAll<HTMLElement>('figure.code')].map(wrapInPanel);
  const list = document.createElement('div');
  list.className = 'tab-list';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `tab-${groupIndex}-${index}`;
    tab.dataset.language = getLanguage(panel);
    tab.textContent = panel.querySelector('figcaption span')?.textContent ?? '';
    tab.setAttribute('role', 'tab');
    panel.id = `panel-${groupIndex}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    tab.setAttribute('aria-controls', panel.id);
    return tab;
  });
  list.append(...tabs);
  root.prepend(list);
  root.classList.add('ready');
  return { root, tabs, panels };
}

function wrapInPanel(figure: HTMLElement): HTMLElement {
  const panel = document.createElement('div');
  panel.dataset.language = figure.dataset.language;
  figure.replaceWith(panel);
  panel.append(figure);
  return panel;
}

/** Does nothing for a group without this language. */
function showLanguage({ tabs, panels }: TabGroup, language: string): void {
  if (!panels.some((panel) => getLanguage(panel) === language)) return;
  for (const [index, panel] of panels.entries()) {
    const isShown = getLanguage(panel) === language;
    panel.hidden = !isShown;
    tabs[index]!.setAttribute('aria-selected', String(isShown));
    tabs[index]!.tabIndex = isShown ? 0 : -1;
  }
}

function moveFocus(event: KeyboardEvent, tabs: readonly HTMLButtonElement[], index: number): void {
  const targets: Record<string, number> = {
    ArrowRight: (index + 1) % tabs.length,
    ArrowLeft: (index + tabs.length - 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  tabs[target]!.click();
  tabs[target]!.focus();
}

const getLanguage = (panel: HTMLElement) => panel.dataset.language ?? '';

/** The browser may deny storage, for example for blocked cookies. */
function readStoredLanguage(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function storeLanguage(language: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, language);
  } catch {
    // Only this page shows the language then.
  }
}
