import { BoxGrid, described, Notes } from '../forms/fields';
import { listOf, type FormState } from '../forms/form-state';
import { EVENT_GROUPS, EVENT_WORDS } from './event-words';

const NAME = 'events';
const EVERYTHING = { value: '*', text: 'Everything', mind: 'Also kinds of events that are added later.' };

/** Event types in plain words, each a box that carries the type as its value. */
export function EventBoxes({ form }: { form: FormState }) {
  const chosen = listOf(form.values, NAME);
  return (
    <fieldset class="field events" {...described(form, NAME, undefined)}>
      <legend>Tell it when</legend>
      <Notes form={form} name={NAME} />
      <BoxGrid name={NAME} options={[EVERYTHING]} chosen={chosen} />
      {EVENT_GROUPS.map(({ name, types }) => (
        <fieldset key={name} class="group">
          <legend>{name}</legend>
          <BoxGrid name={NAME} options={types.map((value) => ({ value, text: EVENT_WORDS[value] }))} chosen={chosen} />
        </fieldset>
      ))}
    </fieldset>
  );
}
