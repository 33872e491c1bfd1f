/** Types of `src/programs.ts` for programs whose compiler options differ from those of this package. */
export declare function useProxies(): Promise<void>;
export declare function withProxyName(message: string, target: string): string;
