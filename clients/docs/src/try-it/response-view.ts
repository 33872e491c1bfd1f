import { tokenizeCode } from '@external-api/pages';

/** Headers that say something about the call itself. */
const SHOWN_HEADERS = [
  'content-type',
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'etag',
  'location',
  'idempotency-replayed',
  'deprecation',
  'sunset',
  'www-authenticate',
];
/** A longer body is cut, so that the page stays responsive. */
const MAX_SHOWN_CHARACTERS = 500_000;

/** Shows the response in the dialog while it arrives. */
export class ResponseView {
  private readonly status: HTMLElement;
  private readonly headers: HTMLElement;
  private readonly figure: HTMLElement;
  private readonly code: HTMLElement;

  constructor(form: HTMLFormElement) {
    this.status = form.querySelector('.try-status')!;
    this.headers = form.querySelector('.try-headers')!;
    this.figure = form.querySelector('.try-result figure')!;
    this.code = form.querySelector('.try-result code')!;
  }

  /** Waits for the response and shows it. A response that the reader stops keeps what has arrived. */
  async showResponse(pending: Promise<Response>, stopped: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    this.clear('Waiting for the response …');
    // On a phone, the response is below the form.
    this.status.scrollIntoView({ block: 'nearest' });
    let line = '';
    try {
      const response = await pending;
      line = `${response.status} ${response.statusText}`.trim();
      this.status.dataset.kind = response.ok ? 'ok' : 'error';
      this.status.textContent = `${line} · receiving …`;
      this.showHeaders(response);
      const bytes = await this.showBody(response);
      this.status.textContent = `${line} · ${Math.round(performance.now() - startedAt)} ms · ${formatBytes(bytes)}`;
    } catch (error) {
      if (!stopped.aborted) throw error;
      this.status.textContent = line ? `${line} · stopped` : 'Stopped before the response.';
    }
  }

  showFailure(message: string): void {
    this.clear(message);
    this.status.dataset.kind = 'error';
  }

  private clear(status: string): void {
    this.status.textContent = status;
    delete this.status.dataset.kind;
    this.headers.hidden = true;
    this.headers.replaceChildren();
    this.figure.hidden = true;
    this.code.replaceChildren();
  }

  private showHeaders({ headers }: Response): void {
    for (const name of SHOWN_HEADERS) {
      const value = headers.get(name);
      if (value === null) continue;
      const [term, description] = [document.createElement('dt'), document.createElement('dd')];
      term.textContent = name;
      description.textContent = value;
      this.headers.append(term, description);
    }
    this.headers.hidden = this.headers.childElementCount === 0;
  }

  /** Returns the number of bytes. */
  private async showBody(response: Response): Promise<number> {
    const type = response.headers.get('content-type') ?? '';
    const isText = /json|text|xml/.test(type);
    let bytes = 0;
    let text = '';
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader!.read()) {
      bytes += chunk.value.byteLength;
      if (!isText || text.length > MAX_SHOWN_CHARACTERS) continue;
      const part = decoder.decode(chunk.value, { stream: true });
      text += part;
      this.figure.hidden = false;
      this.code.append(part);
    }
    if (text.length > MAX_SHOWN_CHARACTERS) this.code.append('\n… cut here');
    else if (type.includes('json')) this.showJson(text);
    else if (!isText && bytes > 0) {
      this.figure.hidden = false;
      this.code.textContent = `Binary content of ${formatBytes(bytes)}`;
    }
    return bytes;
  }

  /** Replaces the text by its indented and colored form. */
  private showJson(text: string): void {
    let formatted: string;
    try {
      formatted = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return;
    }
    this.code.replaceChildren(
      ...tokenizeCode(formatted, 'json').map(({ text: part, kind }) => {
        if (!kind) return document.createTextNode(part);
        const span = document.createElement('span');
        span.className = `t-${kind}`;
        span.textContent = part;
        return span;
      }),
    );
  }
}

function formatBytes(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} kB`;
}
