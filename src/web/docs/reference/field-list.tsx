import { renderDescription } from '../markdown';
import type { SchemaField, SchemaVariant } from './schema-fields';

interface FieldListProps {
  variants: readonly SchemaVariant[];
  /** Marks required fields, which says nothing about responses. */
  showsRequired?: boolean;
}

/** Fields with their types and constraints. Nested fields are folded. */
export function FieldList({ variants, showsRequired = false }: FieldListProps) {
  return (
    <>
      {variants.map(({ title, fields }) => (
        <div class="field-group" key={title}>
          {title && variants.length > 1 && <p class="variant">{`Alternative: ${toWords(title)}`}</p>}
          <ul class="fields">
            {fields.map((field) => (
              <FieldItem key={field.name} field={field} showsRequired={showsRequired} />
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

export function FieldItem({ field, showsRequired }: { field: SchemaField; showsRequired: boolean }) {
  const { name, type, enumValues, variants, description } = field;
  // A reader of a response has no use for its patterns.
  const constraints = field.constraints.filter((text) => showsRequired || !text.startsWith('matches '));
  return (
    <li class="field">
      <p class="field-head">
        <code class="field-name">{name}</code> <span class="field-type">{type}</span>
        {showsRequired && field.isRequired && <span class="required"> required</span>}
        {field.isDeprecated && <span class="deprecated"> deprecated</span>}
      </p>
      {description && <Description markdown={description} />}
      {enumValues.length > 0 && (
        <p class="field-values">
          {'One of '}
          {enumValues.map((value, index) => (
            <>
              {index > 0 && ', '}
              <code>{value}</code>
            </>
          ))}
        </p>
      )}
      {constraints.length > 0 && (
        <p class="field-values">
          {constraints.map((constraint, index) => (
            <>
              {index > 0 && ' · '}
              <Constraint text={constraint} />
            </>
          ))}
        </p>
      )}
      {variants.length > 0 && (
        <details class="nested">
          <summary>{`Fields of ${name}`}</summary>
          <FieldList variants={variants} showsRequired={showsRequired} />
        </details>
      )}
    </li>
  );
}

function Constraint({ text }: { text: string }) {
  const [, word, code] = /^(matches|default|always) (.*)$/s.exec(text) ?? [];
  if (!code) return <>{text}</>;
  return (
    <>
      {word} <code>{code}</code>
    </>
  );
}

/** Path that breaks into lines only behind its slashes. */
export function BreakablePath({ path }: { path: string }) {
  return (
    <code>
      {path.split(/(?<=\/)/).map((segment, index) => (
        <>
          {index > 0 && <wbr />}
          {segment}
        </>
      ))}
    </code>
  );
}

/** Description from the OpenAPI document, which is Markdown. */
export function Description({ markdown }: { markdown: string }) {
  return <div class="description" dangerouslySetInnerHTML={{ __html: renderDescription(markdown) }} />;
}

/** Splits the name of a schema: `PlaintextContent` becomes `plaintext content`. */
function toWords(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
