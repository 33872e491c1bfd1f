import { normalizeCrockford } from '@external-api/protocol/portable';
import { getElement, getFieldText, onPress, showText } from './form-page';
import { generateRecoveryKeyText } from './recovery-key';

/** New recovery key that a page shows once, with buttons to print, download and copy it. */
export class ShownRecoveryKey {
  /** Stays the same until it is replaced, since it may already be on paper. */
  text = generateRecoveryKeyText();

  constructor(private readonly getUsername: () => string) {
    onPress('print', '', () => print());
    onPress('copy', '', async () => {
      await navigator.clipboard.writeText(this.text);
      showText('copy', 'Copied');
    });
    onPress('save', '', () => this.downloadText());
  }

  showKey(): void {
    showText('paper-username', this.getUsername());
    showText('paper-host', location.host);
    showText('copy', 'Copy');
    getElement('recovery-key').replaceChildren(...this.text.split('-').map(createGroupElement));
  }

  replaceKey(): void {
    this.text = generateRecoveryKeyText();
    this.showKey();
  }

  /** @throws Error if the form doesn't have the key's last four characters */
  requireConfirmation(form: HTMLFormElement): void {
    if (normalizeCrockford(getFieldText(form, 'last-group')) === this.text.split('-').at(-1)) return;
    throw new Error('These aren’t the last four characters of the key. Check your copy of the recovery key.');
  }

  private downloadText(): void {
    const username = this.getUsername();
    const title = `Recovery key of ${username} at ${location.origin}`;
    const text = `${title}\n\n${this.text}\n\nAnyone who has it can use the account.\n`;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = `recovery-key-${username}.txt`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

function createGroupElement(group: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = group;
  return element;
}
