import type { ComponentChildren } from 'preact';
import { Form } from '../html/form';

interface ConfirmActionProps {
  /** Label of the button that opens the confirmation and of the button that confirms. */
  label: string;
  /** Path that the form posts to. */
  action: string;
  /** The consequences of the action. */
  children: ComponentChildren;
  /** Fields of the form. */
  fields?: ComponentChildren;
  /** The object of the action, for screen readers. */
  target?: string;
  /** The action destroys nothing. */
  isHarmless?: boolean;
  /** The submitted form was rejected and is shown again. */
  isOpen?: boolean;
  /** Separates the action from the ones before it. */
  isSeparated?: boolean;
}

/** Irreversible action with a confirmation that states the consequences. Works without scripts. */
export function ConfirmAction({
  label,
  action,
  children,
  fields,
  target,
  isHarmless = false,
  isOpen,
  isSeparated = false,
}: ConfirmActionProps) {
  return (
    <details class={isSeparated ? 'ask last' : 'ask'} name="ask" open={isOpen}>
      <summary aria-label={target === undefined ? undefined : `${label} ${target}`}>{`${label} …`}</summary>
      <div class="question">
        <p>{children}</p>
        <Form action={action}>
          {fields}
          <button class={isHarmless ? undefined : 'danger'}>{label}</button>
        </Form>
      </div>
    </details>
  );
}
