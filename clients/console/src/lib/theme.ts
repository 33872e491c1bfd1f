/** Read by the script that applies the theme before the page is painted (src/common/html/render-document.ts). */
const STORAGE_KEY = 'external-api-theme';

/** Shows the choice of a theme, and remembers it in this browser. Other open pages of the console follow. */
export function offerThemes(): void {
  const choice = document.getElementById('theme');
  if (!choice) return;
  const radios = [...choice.querySelectorAll('input')];
  const showChosen = () => {
    const chosen = document.documentElement.dataset.theme ?? 'system';
    for (const radio of radios) radio.checked = radio.value === chosen;
  };
  showChosen();
  choice.hidden = false;
  choice.addEventListener('change', ({ target }) => {
    const theme = toTheme((target as HTMLInputElement).value);
    applyTheme(theme);
    storeTheme(theme);
  });
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== STORAGE_KEY && key !== null) return;
    applyTheme(toTheme(newValue));
    showChosen();
  });
}

type Theme = 'light' | 'dark' | null;

/** Returns null for the theme of the system. */
function toTheme(value: string | null): Theme {
  return value === 'light' || value === 'dark' ? value : null;
}

function applyTheme(theme: Theme): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/** A browser that forbids access to its storage keeps the theme until the next page. */
function storeTheme(theme: Theme): void {
  try {
    if (theme) localStorage.setItem(STORAGE_KEY, theme);
    else localStorage.removeItem(STORAGE_KEY);
  } catch {
    // See above.
  }
}
