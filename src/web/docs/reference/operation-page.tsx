import { renderCodeBlock, renderTabGroup } from '../markdown';
import { MethodBadge } from '../site/docs-layout';
import { BreakablePath, Description, FieldItem, FieldList } from './field-list';
import {
  CREDENTIAL_NAMES,
  type ReferenceError,
  type ReferenceOperation,
  type ReferenceParameter,
  type ReferenceResponse,
} from './reference-model';
import { buildRequestSamples } from './request-samples';
import { TryItDialog } from './try-it-dialog';

interface OperationProps {
  operation: ReferenceOperation;
  publicUrl: string;
}

/** Page of one operation: what it does at the left, and samples at the right. */
export function OperationPage({ operation, publicUrl }: OperationProps) {
  const { method, path, summary, description, sending, parameters, body, responses, errors } = operation;
  const isEvent = method === '';
  return (
    <article class="operation" id={operation.id}>
      <h1>{summary}</h1>
      <div class="endpoint">
        {isEvent ? <span class="method event">EVENT</span> : <MethodBadge method={method} />}
        <BreakablePath path={path} />
        {sending === 'offered' && (
          <button type="button" class="try-button" data-opens="try-it" hidden>
            Try it
          </button>
        )}
      </div>
      <div class="operation-columns">
        <div class="operation-text">
          {operation.isDeprecated && (
            <p class="note">
              <strong>Deprecated.</strong> See <a href="/docs/deprecations">Deprecations</a>.
            </p>
          )}
          <Description markdown={description} />
          {!isEvent && <Requirements operation={operation} />}
          {sending === 'device-only' && (
            <p class="note">
              This page doesn't send the call, because only a device has {describeDeviceCredential(operation)}. A
              program can <a href="/docs/authentication#device-tokens">become a device</a> of your account.
            </p>
          )}
          <ParameterSection title="Path parameters" parameters={parameters.filter((each) => each.in === 'path')} />
          <ParameterSection title="Query parameters" parameters={parameters.filter((each) => each.in === 'query')} />
          <ParameterSection title="Headers" parameters={parameters.filter((each) => each.in === 'header')} />
          {body && (
            <section>
              <h2 id="body">
                {isEvent ? 'Payload' : 'Request body'} <small>{body.mediaType}</small>
              </h2>
              <FieldList variants={body.variants} showsRequired={!isEvent} />
            </section>
          )}
          {!isEvent && responses.length > 0 && <ResponseSection responses={responses} />}
          {errors.length > 0 && !isEvent && <ErrorSection errors={errors} />}
        </div>
        <div class="operation-samples">
          {!isEvent && <RequestSamples operation={operation} publicUrl={publicUrl} />}
          {isEvent && body && <Sample title="Example payload" value={body.example} />}
          {!isEvent &&
            responses.map(({ status, bodies }) =>
              bodies
                .slice(0, 1)
                .map(({ example }) => <Sample key={status} title={`Response ${status}`} value={example} />),
            )}
        </div>
      </div>
      {sending === 'offered' && <TryItDialog operation={operation} />}
    </article>
  );
}

function describeDeviceCredential({ credential }: ReferenceOperation): string {
  return credential === 'device' ? 'the token that it requires' : 'the key that signs it';
}

function Requirements({ operation }: { operation: ReferenceOperation }) {
  const { credential, acceptsLogin, scopes, deviceKinds, rateLimitBucket } = operation;
  const credentialName = CREDENTIAL_NAMES[credential];
  return (
    <dl class="requirements">
      <div>
        <dt>Credential</dt>
        <dd>
          {credential === 'none' ? credentialName : <a href="/docs/authentication">{credentialName}</a>}
          {acceptsLogin && ', or the login of a browser with X-CSRF-Token'}
        </dd>
      </div>
      {scopes.length > 0 && (
        <div>
          <dt>Scopes</dt>
          <dd>
            <CodeList values={scopes} />
          </dd>
        </div>
      )}
      {deviceKinds.length > 0 && (
        <div>
          <dt>Devices</dt>
          <dd>
            <CodeList values={deviceKinds} />
          </dd>
        </div>
      )}
      {rateLimitBucket && (
        <div>
          <dt>Rate limit</dt>
          <dd>
            <a href="/docs/limits">
              Bucket <code>{rateLimitBucket}</code>
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
}

function CodeList({ values }: { values: readonly string[] }) {
  return (
    <>
      {values.map((value, index) => (
        <>
          {index > 0 && ', '}
          <code>{value}</code>
        </>
      ))}
    </>
  );
}

function ParameterSection({ title, parameters }: { title: string; parameters: readonly ReferenceParameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="fields">
        {parameters.map((parameter) => (
          <FieldItem key={parameter.name} field={parameter} showsRequired />
        ))}
      </ul>
    </section>
  );
}

function ResponseSection({ responses }: { responses: readonly ReferenceResponse[] }) {
  return (
    <section>
      <h2 id="responses">Responses</h2>
      {responses.map(({ status, description, bodies }) => (
        <div class="response" key={status}>
          <p class="response-head">
            <span class="status ok">{status}</span> {description}
          </p>
          {bodies.map(({ mediaType, variants }) => (
            <div key={mediaType}>
              <p class="fine">{mediaType}</p>
              <FieldList variants={variants} />
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}

function ErrorSection({ errors }: { errors: readonly ReferenceError[] }) {
  return (
    <section>
      <h2 id="errors">Errors</h2>
      <div class="error-list">
        {errors.map(({ status, code, title, description, advice, example }) => (
          <details key={`${status} ${code}`}>
            <summary>
              <span class="status">{status}</span> {code ? <code>{code}</code> : <span>{title}</span>}
            </summary>
            <div class="error-text">
              {code && <Description markdown={`${description} ${advice}`} />}
              {code && (
                <p>
                  <a href={`/docs/errors#${code}`}>{`About ${code}`}</a>
                </p>
              )}
              {example !== undefined && <Code language={getLanguage(example)} code={toText(example)} label="Example" />}
            </div>
          </details>
        ))}
      </div>
    </section>
  );
}

function RequestSamples({ operation, publicUrl }: OperationProps) {
  if (operation.sending === 'none') return null;
  return (
    <div
      class="samples"
      dangerouslySetInnerHTML={{ __html: renderTabGroup(buildRequestSamples(operation, publicUrl)) }}
    />
  );
}

function Sample({ title, value }: { title: string; value: unknown }) {
  if (value === undefined) return null;
  return <Code language={getLanguage(value)} code={toText(value)} label={title} />;
}

function Code({ language, code, label }: { language: string; code: string; label: string }) {
  return <div class="samples" dangerouslySetInnerHTML={{ __html: renderCodeBlock({ language, code }, label) }} />;
}

const getLanguage = (example: unknown) => (typeof example === 'string' ? 'text' : 'json');
const toText = (example: unknown) =>
  typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
