import { IsIn, IsOptional } from 'class-validator';
import { DAY, HOUR } from '../../../common/clock';
import { formatDateTimeField } from './date-time-value';
import { listFilledFields, type FormState } from './form-state';

export type TimeRangeName = 'hour' | 'day' | 'week';

/** The ranges that every page with a range offers. */
export const TIME_RANGES: readonly { name: TimeRangeName; text: string; ms: number }[] = [
  { name: 'hour', text: 'Last hour', ms: HOUR },
  { name: 'day', text: 'Last 24 hours', ms: DAY },
  { name: 'week', text: 'Last 7 days', ms: 7 * DAY },
];

/** Query of a page whose numbers are of a range. */
export class RangeQueryDto {
  @IsOptional()
  @IsIn(['hour', 'day', 'week'])
  range?: TimeRangeName;
}

interface RangeLinksProps {
  path: string;
  ranges?: readonly { name: string; text: string }[];
  selected: string;
  /** Id of the part of the page that the range is for, to which the links lead. */
  target: string;
}

/** Links that choose the range of numbers. */
export function RangeLinks({ path, ranges = TIME_RANGES, selected, target }: RangeLinksProps) {
  return (
    <span class="presets" role="group" aria-label="Range">
      {ranges.map(({ name, text }) => (
        <a key={name} href={`${path}?range=${name}#${target}`} aria-current={name === selected ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </span>
  );
}

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
  const others = listFilledFields(form).filter(([name]) => name !== 'since' && name !== 'until');
  return (
    <span class="presets">
      {TIME_RANGES.map(({ name, text, ms }) => (
        <a key={name} href={`${path}?${new URLSearchParams([...others, ['since', formatDateTimeField(now - ms)]])}`}>
          {text}
        </a>
      ))}
    </span>
  );
}
