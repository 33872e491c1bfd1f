import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { ViewerContext } from './viewer';

/** The hidden field that `PageInterceptor` asks of every form. */
export const CSRF_FIELD = 'csrf';

interface FormProps {
  action: string;
  class?: string;
  children: ComponentChildren;
}

/** A form that changes something: posted, with the token that binds it to the session. */
export function Form({ action, class: className, children }: FormProps) {
  const viewer = useContext(ViewerContext);
  return (
    <form method="post" action={action} class={className}>
      {viewer && <input type="hidden" name={CSRF_FIELD} value={viewer.csrfToken} />}
      {children}
    </form>
  );
}
