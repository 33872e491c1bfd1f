process.env.TEST_BACKEND = 'embedded';
