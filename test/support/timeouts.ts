/** Allows for starts and stops of services, processes and databases on a busy machine, or for a debugger. */
jest.setTimeout(Number(process.env.TEST_TIMEOUT_MS ?? 120_000));
