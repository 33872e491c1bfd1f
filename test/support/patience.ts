/** Services, processes and databases start and stop in these tests, on machines that may be busy. */
jest.setTimeout(60_000);
