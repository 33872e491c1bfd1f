/** Allows for starts and stops of services, processes and databases on a busy machine. */
jest.setTimeout(120_000);
