/**
 * The floors, the lowest first. A folder imports itself and the floors below, nothing else. Folders of one floor do not
 * import each other.
 */
const floors = [
  ['domain', 'task'],
  ['time'],
  ['errors'],
  ['auth', 'codec', 'diagnostics', 'option-kinds', 'server', 'transport'],
  ['http', 'platform', 'socket'],
  ['depth', 'prices'],
  ['client'],
  ['operators', 'recording', 'simulator', 'store', 'testing', 'opentelemetry'],
  ['history'],
  ['gateway', 'sweep'],
  ['nats'],
  ['display'],
  ['dashboard'],
  ['cli'],
]

const folder = (name) => `^src/${name}/`

/** The entry point, and that of browsers. */
const doors = '^src/(index|browser|exports)\\.ts$'

const outsideFloors = { path: '^src/', pathNot: [doors, ...floors.flat().map(folder)] }

/** The script of the dashboard's page, which esbuild bundles with what it imports. */
const page = '^src/dashboard/page/'

/** The files that run on Node alone. All others run in browsers too. */
const nodeOnly = [
  '^src/(cli|gateway|nats|opentelemetry|server|simulator|sweep|dashboard/serve)/',
  '^src/transport/((ws|undici)/|(packages|dial-host)\\.ts)',
  '^src/platform/node(/|\\.ts)',
  '^src/(index|client/on-node|(history|recording)/index|recording/(on-node|record/(recording|rotating)-file))\\.ts',
]

const browserOnly = [
  page,
  '^src/transport/(fetch|native-web-socket)\\.ts',
  '^src/platform/browser(/|\\.ts)',
  '^src/(browser|(history|recording)/browser)\\.ts',
]

const floorRules = floors.flatMap((names, level) =>
  names.map((name) => ({
    name: `${name} imports only the floors below it`,
    severity: 'error',
    from: { path: folder(name) },
    to: { path: '^src/', pathNot: [name, ...floors.slice(0, level).flat()].map(folder) },
  })),
)

module.exports = {
  forbidden: [
    ...floorRules,
    {
      name: 'src holds the entry points and the folders of the floors',
      severity: 'error',
      from: {},
      to: outsideFloors,
    },
    {
      name: 'a file outside of the floors imports nothing',
      severity: 'error',
      from: outsideFloors,
      to: {},
    },
    {
      name: 'operators need no client',
      severity: 'error',
      from: { path: folder('operators') },
      to: {
        path: '^src/',
        pathNot: ['operators', 'domain', 'time', 'task', 'errors', 'option-kinds'].map(folder),
      },
    },
    {
      name: 'the simulator shares types, the check of options, server, task and decimal text with the library, and no protocol logic',
      severity: 'error',
      from: { path: folder('simulator') },
      to: {
        path: '^src/',
        pathNot: [
          ...['simulator', 'option-kinds', 'server', 'task'].map(folder),
          '^src/domain/plain-decimal\\.ts',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters are reached from platform alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(platform|transport)/' },
      to: { path: '^src/transport/((ws|undici)/|fetch\\.ts|native-web-socket\\.ts)' },
    },
    {
      name: 'Node is imported by the files that run on Node alone',
      severity: 'error',
      from: { path: '^src/', pathNot: nodeOnly },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'a file that runs on every platform imports no file of one platform',
      severity: 'error',
      from: { path: '^src/', pathNot: [...nodeOnly, ...browserOnly] },
      to: { path: [...nodeOnly, ...browserOnly], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'a file for browsers imports no file for Node',
      severity: 'error',
      from: { path: browserOnly },
      to: { path: nodeOnly, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ws and undici are imported by their adapters, the gateway and the simulator alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(transport/(ws/|undici/|packages\\.ts)|gateway/|simulator/)' },
      to: { path: 'node_modules/(@types/)?(ws|undici)/' },
    },
    {
      name: 'the NATS client is imported by nats alone',
      severity: 'error',
      from: { path: '^src/', pathNot: folder('nats') },
      to: { path: 'node_modules/@nats-io/' },
    },
    {
      name: '@opentelemetry/api is imported by its folder alone',
      severity: 'error',
      from: { path: '^src/', pathNot: folder('opentelemetry') },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'io-ts is imported by the codecs alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(codec|recording/format)/' },
      to: { path: 'node_modules/io-ts/' },
    },
    {
      name: 'the definition of a command loads its action when the command runs, so that the help is fast',
      severity: 'error',
      from: { path: '^src/cli/(commands/|program\\.ts|input/(parse|source)-flags\\.ts)' },
      to: {
        path: [
          '^src/cli/(?!commands/|input/(parse|source)-flags\\.ts)',
          '^src/(client|recording)/',
          '^src/simulator/index\\.ts',
          'node_modules/(rxjs|fp-ts|io-ts)/',
        ],
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'package.json lists what is imported',
      severity: 'error',
      from: { path: '^src/', pathNot: page },
      to: {
        // The build copies ws into the package.
        pathNot: 'node_modules/ws/',
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        dependencyTypesNot: ['npm', 'npm-peer', 'type-only'],
      },
    },
    {
      name: 'the page is imported by nothing: it is bundled by itself',
      severity: 'error',
      from: { path: '^src/', pathNot: page },
      to: { path: page },
    },
    {
      name: 'no orphans',
      severity: 'error',
      from: {
        path: '^src/',
        orphan: true,
        pathNot:
          '^src/((gateway/|nats/|opentelemetry/|operators/|testing/|recording/|history/|simulator/|sweep/)?index|((history|recording)/)?browser|(cli|sweep/worker|dashboard/page)/main)\\.ts$',
      },
      to: {},
    },
    // Last: its output is long.
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // As Node resolves packages.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
