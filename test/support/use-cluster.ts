process.env.TEST_STAGE = 'cluster';
