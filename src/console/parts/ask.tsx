import type { ComponentChildren } from 'preact';
import { Form } from '../html/form';

interface AskProps {
  /** On the button that opens the question, and on the one that does it. */
  verb: string;
  /** Where the answer goes. */
  action: string;
  /** What stops working. */
  children: ComponentChildren;
  /** Fields that go with the answer. */
  fields?: ComponentChildren;
  /** What it is done to, for those who do not see the row. */
  what?: string;
  /** Nothing ends by it. */
  harmless?: boolean;
  /** It was answered, and something was wrong with the answer. */
  open?: boolean;
  /** It stands apart from the acts before it. */
  last?: boolean;
}

/** An act that cannot be taken back: it asks once, and says what stops working. Needs no script. */
export function Ask({ verb, action, children, fields, what, harmless = false, open, last = false }: AskProps) {
  return (
    <details class={last ? 'ask last' : 'ask'} name="ask" open={open}>
      <summary aria-label={what === undefined ? undefined : `${verb} ${what}`}>{`${verb} …`}</summary>
      <div class="question">
        <p>{children}</p>
        <Form action={action}>
          {fields}
          <button class={harmless ? undefined : 'danger'}>{verb}</button>
        </Form>
      </div>
    </details>
  );
}
