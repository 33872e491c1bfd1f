// Stack traces name files and lines of src/. Applies to modules that are loaded later, so programs import this first.
process.setSourceMapsEnabled(true);
