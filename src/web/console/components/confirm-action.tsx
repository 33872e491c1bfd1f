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

/** Action with a confirmation that states the consequences. Works without scripts, apart from Cancel. */
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
  const className = ['ask', isSeparated && 'last', !isHarmless && 'dangerous'].filter(Boolean).join(' ');
  return (
    <details class={className} name="ask" open={isOpen}>
      <summary aria-label={target === undefined ? undefined : `${label} ${target}`}>{`${label} …`}</summary>
      <div class="question">
        <p>{children}</p>
        <Form action={action}>
          {fields}
          <div class="choice-row">
            <button class={isHarmless ? undefined : 'danger'}>{label}</button>
            <button type="button" class="secondary" data-close>
              Cancel
            </button>
          </div>
        </Form>
      </div>
    </details>
  );
}

/** Destructive actions at the end of a page, apart from its other actions. */
export function DangerZone({ children }: { children: ComponentChildren }) {
  return (
    <section class="danger-zone" aria-labelledby="danger">
      <h2 id="danger">Danger zone</h2>
      <div class="acts">{children}</div>
    </section>
  );
}
