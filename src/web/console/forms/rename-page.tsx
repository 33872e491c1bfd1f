import { PageHead } from '../components/page-head';
import { Form } from '../html/form';
import { HtmlPage } from '../html/html-page';
import { FormProblem, TextField } from './fields';
import type { FormState } from './form-state';

interface RenamePageProps {
  form: FormState;
  /** Current name. */
  name: string;
  /** Link to the page that lists or shows the renamed object. */
  parentLink: { path: string; text: string };
  /** Path that the form posts to. */
  action: string;
}

/** Page with a form that changes the name of a token or a device. */
export function renderRenamePage(props: RenamePageProps): HtmlPage {
  return new HtmlPage(<RenamePage {...props} />, { title: `Rename ${props.name}`, status: props.form.status });
}

function RenamePage({ form, name, parentLink, action }: RenamePageProps) {
  return (
    <>
      <PageHead heading={`Rename ${name}`} parentLink={parentLink} />
      <Form action={action} class="card">
        <FormProblem form={form} />
        <input type="hidden" name="return" value={parentLink.path} />
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="Your tokens and apps may see it."
          maxLength={100}
          required
        />
        <button>Save name</button>
      </Form>
    </>
  );
}
