process.env.TEST_BACKEND = process.env.TEST_POSTGRES_TEMPLATE ? 'services' : 'embedded';
