/** The walls of the house: each floor knows only those below it. */
const floor = (name) => `^src/${name}`
const only = (from, allowed) => ({
  name: `${from} knows only what is below it`,
  severity: 'error',
  from: { path: floor(from) },
  to: { path: '^src/', pathNot: [from, ...allowed].map(floor) },
})

module.exports = {
  forbidden: [
    only('domain/', []),
    only('errors/', ['domain/']),
    only('codec/', ['domain/', 'errors/']),
    only('auth/', ['domain/', 'errors/']),
    only('transport/', ['domain/', 'errors/']),
    only('time/', []),
    only('diagnostics/', ['domain/', 'errors/']),
    only('operators/', ['domain/', 'errors/', 'time/']),
    only('stream/', [
      'domain/',
      'errors/',
      'codec/',
      'auth/',
      'time/',
      'diagnostics/',
      'transport/transport\\.ts',
    ]),
    only('recording/', [
      'domain/',
      'errors/',
      'codec/',
      'time/',
      'stream/guarded\\.ts',
      'given-client\\.ts',
      'client\\.ts',
    ]),
    only('config\\.ts', [
      'domain/',
      'errors/',
      'auth/',
      'stream/',
      'transport/transport\\.ts',
      'options\\.ts',
      'certificates\\.ts',
      'url\\.ts',
    ]),
    {
      name: 'the adapters are reached from the client alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(client\\.ts|transport/)' },
      to: { path: '^src/transport/(ws|undici)\\.ts' },
    },
    {
      name: 'ws and undici are imported by their adapters and the simulator alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(transport/(ws|undici)\\.ts|simulator/)' },
      to: { path: 'node_modules/(@types/)?(ws|undici)/' },
    },
    {
      name: 'io-ts lives in codec',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/codec/' },
      to: { path: 'node_modules/io-ts/' },
    },
    {
      name: 'the simulator shares types with the client, and no logic',
      severity: 'error',
      from: { path: floor('simulator/') },
      to: { path: '^src/', pathNot: floor('simulator/'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing leans on the other doors, save the command',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(testing|recording|simulator|cli)/' },
      to: { path: '^src/(testing|recording|simulator|cli)/' },
    },
    only('cli/', [
      'domain/',
      'errors/',
      'operators/',
      'recording/',
      'simulator/',
      'codec/row\\.ts',
      'client\\.ts',
      'options\\.ts',
    ]),
    {
      name: 'what is imported is what package.json brings',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        dependencyTypesNot: ['npm', 'npm-peer', 'type-only'],
      },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no orphans',
      severity: 'error',
      from: {
        path: '^src/',
        orphan: true,
        pathNot: '^src/((operators/|testing/|recording/|simulator/)?index|cli/main)\\.ts$',
      },
      to: {},
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // As Node resolves packages.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
