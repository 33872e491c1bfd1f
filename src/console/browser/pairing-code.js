/** Fills in the code that the address of a QR code brought along, in the part that no server sees. */

const [, code] = /^#code=([\w-]{1,32})$/.exec(location.hash) ?? [];
const field = document.querySelector('input[name=code]');
if (code && field instanceof HTMLInputElement) {
  field.value = code;
  history.replaceState(null, '', location.pathname);
  field.focus();
}

export {};
