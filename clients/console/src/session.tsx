/** Page of one session. */
import { useEffect, useState } from 'preact/hooks';
import { DeciderNames } from './approvals/decider-name';
import { mountPage, type PageContext, type PageProps } from './components/mount-page';
import { MarkdownLexer } from './rich-text/markdown';
import type { SharingProps } from './sharing/key-grants';
import { SessionView } from './sessions/session-view';

interface SessionPageProps extends PageProps {
  sessionId: string;
  sharing: SharingProps;
  deciderNames: Record<string, string>;
  /** Module that reads Markdown. */
  lexerUrl: string;
}

/** Loads the lexer beside the first records. */
function useLexer(url: string) {
  const [lexMarkdown, setLexer] = useState<typeof import('./markdown-lexer').lexMarkdown | null>(null);
  useEffect(() => {
    const loading = import(url) as Promise<typeof import('./markdown-lexer')>;
    loading.then((module) => setLexer(() => module.lexMarkdown)).catch(() => undefined);
  }, [url]);
  return lexMarkdown;
}

function SessionPage({ props, api, keys }: PageContext<SessionPageProps>) {
  return (
    <DeciderNames.Provider value={props.deciderNames}>
      <MarkdownLexer.Provider value={useLexer(props.lexerUrl)}>
        <SessionView
          api={api}
          keys={keys}
          accountId={props.accountId}
          sessionId={props.sessionId}
          sharing={props.sharing}
        />
      </MarkdownLexer.Provider>
    </DeciderNames.Provider>
  );
}

void mountPage<SessionPageProps>((context) => <SessionPage {...context} />);
