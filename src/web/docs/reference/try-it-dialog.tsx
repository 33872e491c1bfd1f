import { formatValue } from './openapi-types';
import type { ReferenceOperation, ReferenceParameter } from './reference-model';

/** Tokens by their place in the tab's storage. */
const TOKEN_FIELDS = {
  token: { kind: 'token', label: 'Token', prefix: 'svc_pat_' },
  'personal-token': { kind: 'token', label: 'Token', prefix: 'svc_pat_' },
  device: { kind: 'device', label: 'Device token', prefix: 'svc_dev_' },
  client: null,
  none: null,
};

/** Form fields whose value others must not see. */
const SECRET_FIELD = /secret|token$|verifier/;

/** Form that sends the operation from the browser (clients/docs/src/try-it.ts). Only scripts can open and submit it. */
export function TryItDialog({ operation }: { operation: ReferenceOperation }) {
  const { id, method, path, credential, body } = operation;
  const token = TOKEN_FIELDS[credential];
  // A response without a body would show nothing.
  const parameters = operation.parameters.filter(({ name }) => name !== 'If-None-Match');
  return (
    <dialog id="try-it" class="try-it" aria-labelledby="try-it-title">
      <form data-method={method} data-path={path} data-operation={id} data-credential={token?.kind}>
        <div class="try-head">
          <h2 id="try-it-title">Try it</h2>
          <code>{`${method} ${path}`}</code>
          <button type="button" class="close" data-closes="try-it">
            Close
          </button>
        </div>
        <div class="try-columns">
          <div class="try-fields">
            {token && (
              <label>
                {token.label}
                <input
                  name="credential"
                  type="password"
                  autocomplete="off"
                  spellcheck={false}
                  placeholder={`${token.prefix}…`}
                  required
                />
                <small>Kept in this tab until you close it, and sent to this service only.</small>
              </label>
            )}
            {parameters.map((parameter) => (
              <ParameterField key={`${parameter.in}.${parameter.name}`} parameter={parameter} />
            ))}
            {body?.mediaType === 'application/json' && (
              <label>
                Body (JSON)
                <textarea name="body" rows={10} spellcheck={false}>
                  {JSON.stringify(body.example ?? {}, null, 2)}
                </textarea>
              </label>
            )}
            {body && body.mediaType !== 'application/json' && <FormFields body={body} />}
            <div class="try-actions">
              <button type="submit">Send request</button>
              <button type="button" class="secondary" data-stop disabled>
                Stop
              </button>
            </div>
          </div>
          <div class="try-result">
            <p class="try-status" role="status">
              The response appears here.
            </p>
            <dl class="try-headers" hidden />
            <figure class="code" hidden>
              <figcaption>
                <span>Response body</span>
                <button type="button" class="copy" data-copy="" hidden>
                  Copy
                </button>
              </figcaption>
              <pre tabIndex={0} role="region" aria-label="Response body">
                <code />
              </pre>
            </figure>
          </div>
        </div>
      </form>
    </dialog>
  );
}

function ParameterField({ parameter }: { parameter: ReferenceParameter }) {
  const { name, isRequired, enumValues, type, example } = parameter;
  const field = `${parameter.in}.${name}`;
  const placeholder = example === undefined ? type : formatValue(example);
  return (
    <label>
      {name} {isRequired ? <span class="required">required</span> : <span class="field-type">{parameter.in}</span>}
      {enumValues.length > 0 ? (
        <select name={field} required={isRequired}>
          <option value="">{isRequired ? 'Choose …' : 'Default'}</option>
          {enumValues.map((value) => (
            <option key={value}>{value}</option>
          ))}
        </select>
      ) : (
        <input
          name={field}
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          required={isRequired}
          data-fresh={name === 'Idempotency-Key' ? 'uuid' : undefined}
        />
      )}
    </label>
  );
}

function FormFields({ body }: { body: NonNullable<ReferenceOperation['body']> }) {
  return (
    <>
      {body.variants.flatMap(({ fields }) =>
        fields.map(({ name, isRequired, type }) => {
          const attributes = {
            name: `form.${name}`,
            autocomplete: 'off',
            spellcheck: false,
            placeholder: type,
            required: isRequired,
          };
          return (
            <label key={name}>
              {name} {isRequired && <span class="required">required</span>}
              {SECRET_FIELD.test(name) ? (
                <input type="password" {...attributes} />
              ) : (
                <input type="text" {...attributes} />
              )}
            </label>
          );
        }),
      )}
    </>
  );
}
