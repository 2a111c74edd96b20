/** The package's name and version, as its package.json has them (a test holds both together). */
export const PACKAGE_NAME = 'opentelemetry-instrumentation-nemo-gym';
export const PACKAGE_VERSION = '0.1.0';
