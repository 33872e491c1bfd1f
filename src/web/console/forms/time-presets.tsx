import { DAY, HOUR } from '../../../common/clock';
import { getFormField } from '../html/read-page-form';
import { formatDateTimeField } from './date-time-value';
import type { FormState } from './form-state';

const PRESETS = [
  { text: 'Last hour', ms: HOUR },
  { text: 'Last 24 hours', ms: DAY },
  { text: 'Last 7 days', ms: 7 * DAY },
];

interface TimePresetsProps {
  /** Filters of a log with the fields `since` and `until`. */
  form: FormState;
  /** Path of the unfiltered log. */
  path: string;
  /** Unix ms. */
  now: number;
}

/** Links that show the newest part of a log, with the other filters as they are. */
export function TimePresets({ form, path, now }: TimePresetsProps) {
  const others = Object.keys(form.values)
    .filter((name) => name !== 'since' && name !== 'until')
    .map((name) => [name, getFormField(form.values, name)])
    .filter(([, value]) => value);
  return (
    <span class="presets">
      {PRESETS.map(({ text, ms }) => (
        <a key={text} href={`${path}?${new URLSearchParams([...others, ['since', formatDateTimeField(now - ms)]])}`}>
          {text}
        </a>
      ))}
    </span>
  );
}
