/**
 * The folders of `src`: what each may import, and its own folders by floor, the lowest first. A folder imports the lower
 * floors of its parent. `*`: the files of the folder itself. `types`: folders of which it imports types alone.
 */
const folders = {
  base: {
    imports: [],
    floors: [['domain', 'task'], ['time'], ['errors'], ['diagnostics', 'option-kinds']],
  },
  wire: {
    imports: ['base'],
    floors: [
      ['auth', 'codec', 'transport'],
      ['http', 'platform', 'socket'],
    ],
  },
  operators: { imports: ['base'], floors: [['*', 'store']] },
  client: { imports: ['base', 'wire'], floors: [['depth', 'prices'], ['*']] },
  testing: { imports: ['base', 'wire', 'client', 'operators'], floors: [] },
  simulator: { imports: ['base', 'wire', 'gateway/server'], floors: [] },
  backtest: {
    imports: ['base', 'wire', 'operators', 'client', 'testing', 'view'],
    floors: [
      ['*'],
      ['recording/codec'],
      ['recording/files'],
      ['recording/read', 'recording/write'],
      ['recording/summary'],
      ['history'],
      ['replay'],
      ['recording'],
      ['account'],
      ['results'],
      ['paper'],
      ['import'],
      ['sweep'],
    ],
  },
  gateway: {
    imports: ['base', 'wire', 'operators', 'client', 'backtest'],
    floors: [],
  },
  nats: {
    imports: ['base', 'wire', 'client', 'backtest', 'gateway'],
    floors: [],
  },
  opentelemetry: { imports: ['base', 'client'], floors: [] },
  view: { imports: ['base', 'wire', 'operators', 'client'], types: ['backtest'], floors: [] },
  dashboard: {
    imports: ['base', 'wire', 'operators', 'client', 'backtest', 'gateway', 'view'],
    floors: [['page', 'server']],
  },
  cli: {
    imports: [
      ...['base', 'wire', 'operators', 'client', 'testing', 'simulator', 'backtest', 'gateway', 'nats'],
      ...['opentelemetry', 'view', 'dashboard'],
    ],
    floors: [],
  },
}

const folder = (name) => (name.endsWith('/*') ? `^src/${name.slice(0, -1)}[^/]+$` : `^src/${name}/`)

/** The entry point, and that of browsers. */
const doors = '^src/(index|browser|exports)\\.ts$'

const outsideFolders = { path: '^src/', pathNot: [doors, ...Object.keys(folders).map(folder)] }

/** The script of the dashboard's page, which esbuild bundles with what it imports. */
const page = '^src/dashboard/page/'

/** The files that run on Node alone. All others run in browsers too. */
const nodeOnly = [
  '^src/(simulator|gateway|nats|opentelemetry|backtest/(import|sweep|recording/files)|cli|dashboard/server)/',
  '^src/wire/transport/(ws/|(undici-transport|undici-package|dial-host)\\.ts)',
  '^src/wire/platform/node(/|\\.ts)',
  '^src/(index|client/on-node|backtest/((history|paper|recording)/index|history/dialed-fetch|account/journal/journal-(events|file)|replay/resume/resume|recording/(on-node|read/node-platform|write/(journal|(recording|rotating)-file))))\\.ts',
]

const browserOnly = [
  page,
  '^src/wire/transport/(fetch|native-web-socket)\\.ts',
  '^src/wire/platform/browser(/|\\.ts)',
  '^src/(browser|backtest/((history|paper|recording)/browser|recording/read/browser-platform))\\.ts',
]

const folderRules = Object.entries(folders).flatMap(([name, { imports, types = [], floors }]) => [
  {
    name: `${name} imports only ${imports.join(', ') || 'itself'}`,
    severity: 'error',
    from: { path: folder(name) },
    to: { path: '^src/', pathNot: [name, ...imports, ...types].map(folder) },
  },
  ...types.map((other) => ({
    name: `${name} imports only types of ${other}`,
    severity: 'error',
    from: { path: folder(name) },
    to: { path: folder(other), dependencyTypesNot: ['type-only'] },
  })),
  ...floors.flatMap((names, level) =>
    names.map((inner) => ({
      name: `${name}/${inner} imports only the lower floors of ${name}`,
      severity: 'error',
      from: { path: folder(`${name}/${inner}`) },
      to: {
        path: folder(name),
        pathNot: [inner, ...floors.slice(0, level).flat()].map((lower) => folder(`${name}/${lower}`)),
      },
    })),
  ),
])

module.exports = {
  forbidden: [
    ...folderRules,
    {
      name: 'src holds the entry points and the folders',
      severity: 'error',
      from: {},
      to: outsideFolders,
    },
    {
      name: 'a file outside of the folders imports nothing',
      severity: 'error',
      from: outsideFolders,
      to: {},
    },
    {
      name: 'the simulator shares types, the check of options, server, task and decimal text with the library, and no protocol logic',
      severity: 'error',
      from: { path: folder('simulator') },
      to: {
        path: '^src/',
        pathNot: [
          ...['simulator', 'base/option-kinds', 'gateway/server', 'base/task'].map(folder),
          '^src/base/domain/plain-decimal\\.ts',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'adapters are reached from platform alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(wire/(platform|transport)/|backtest/history/dialed-fetch)' },
      to: { path: '^src/wire/transport/(ws/|(undici-transport|fetch|native-web-socket)\\.ts)' },
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
      from: {
        path: '^src/',
        pathNot: '^src/(wire/transport/(ws/|(undici-transport|undici-package)\\.ts)|gateway/|simulator/)',
      },
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
      from: {
        path: '^src/',
        pathNot:
          '^src/(wire/codec|nats/codec|gateway/websocket/client-message|backtest/recording/codec|backtest/history/past-codec|backtest/account/journal/journal-codec)',
      },
      to: { path: 'node_modules/io-ts/' },
    },
    {
      name: 'the program loads a command when it is used, so that the list of commands is fast',
      severity: 'error',
      from: { path: '^src/cli/(program|commands/shared/parts|target/parse-flags)\\.ts' },
      to: {
        path: [
          '^src/cli/(?!commands/shared/parts\\.ts|manifest\\.ts|target/parse-flags\\.ts)',
          '^src/(client|backtest|simulator)/',
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
        pathNot: [
          '^src/(index|browser)\\.ts$',
          '^src/(gateway|nats|opentelemetry|operators|simulator|testing)/index\\.ts$',
          '^src/backtest/[a-z]+/(index|browser)\\.ts$',
          '^src/(cli|backtest/sweep/worker|dashboard/page)/main\\.ts$',
        ],
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
