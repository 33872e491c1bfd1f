import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { ViewerContext } from './viewer';

/** Hidden field that `PageInterceptor` requires in every form. */
export const CSRF_FIELD = 'csrf';

interface FormProps {
  action: string;
  class?: string;
  id?: string;
  children: ComponentChildren;
}

/** Form that is posted with the CSRF token of the browser login. */
export function Form({ action, class: className, id, children }: FormProps) {
  const viewer = useContext(ViewerContext);
  return (
    <form method="post" action={action} class={className} id={id}>
      {viewer && <input type="hidden" name={CSRF_FIELD} value={viewer.csrfToken} />}
      {children}
    </form>
  );
}
