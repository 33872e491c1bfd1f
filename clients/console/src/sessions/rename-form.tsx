import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import { MAX_TITLE_LENGTH } from './session-title';

interface RenameFormProps {
  title: string;
  /** Rejects with an error whose message is for the user. */
  rename: (title: string) => Promise<void>;
  onClose: () => void;
}

/** Changes the title of a session in its place. */
export function RenameForm({ title, rename, onClose }: RenameFormProps) {
  const [text, setText] = useState(title);
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current!.focus();
    field.current!.select();
  }, []);
  const save = () => {
    setSaving(true);
    setProblem('');
    rename(text).then(
      () => {
        // A form that is closed already must not take the focus from where the user is by now.
        if (field.current) onClose();
      },
      (error: unknown) => {
        setSaving(false);
        setProblem(formatProblem(error));
      },
    );
  };
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSaving) save();
      }}
      // An input method has keys of its own.
      onKeyDown={({ key, isComposing }) => key === 'Escape' && !isComposing && onClose()}
    >
      <label>
        Title
        <input
          ref={field}
          value={text}
          maxLength={MAX_TITLE_LENGTH}
          aria-describedby="rename-hint"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <small id="rename-hint">The session keeps this title. Without one, its agent names it again.</small>
      <Problem text={problem} />
      <div class="acts">
        <button disabled={isSaving}>Save title</button>
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
