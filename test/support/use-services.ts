process.env.TEST_BACKEND = 'services';
