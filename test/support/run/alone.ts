/**
 * The folders whose test files run in a process of their own: metrics cover all clients of a process, also those that
 * another file has left behind. A simulation leaves clients whose clocks have stopped.
 */
export const aloneFolders: readonly string[] = ['base/diagnostics', 'opentelemetry', 'simulation']
