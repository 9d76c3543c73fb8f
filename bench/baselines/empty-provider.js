/**
 * A dynamic provider that does nothing: what is left is what the engine, its state and the host cost. What it returns
 * is as large as what a ComputeEndpoint has in state.
 */
const minSize = { vcpu: 0.25, ramGb: 1, localFileCacheGb: 0.8 };
const maxSize = { vcpu: 1, ramGb: 4, localFileCacheGb: 3.2 };

const outputs = {
  host: 'ep-steep-wind-28736230.local-east-1.postgres.localhost',
  poolerHost: 'ep-steep-wind-28736230-pooler.local-east-1.postgres.localhost',
  proxyHost: 'local-east-1.postgres.localhost',
  minSize,
  maxSize,
  maxConnections: 112,
  pooledMaxConnections: 10000,
  disabled: false,
  passwordlessAccess: true,
  pgSettings: {},
  poolerEnabled: false,
  poolerMode: 'transaction',
  provisioner: 'k8s-neonvm',
  regionId: 'local-east-1',
  suspendTimeoutSeconds: 0,
  __declared: ['projectId', 'branchId', 'type', 'name', 'autoscalingLimitMinCu', 'autoscalingLimitMaxCu'],
  __schemaVersion: 1,
};
let count = 0;

exports.provider = {
  async check(_olds, inputs) {
    const name = `bench-test-${inputs.__urn.split('::').pop()}-12345678`;
    return { inputs: { ...inputs, name, restartOnChange: 'size 0.25 to 1 CU' }, failures: [] };
  },
  async diff() {
    return { changes: false };
  },
  async create(inputs) {
    count += 1;
    return { id: `ep-steep-wind-${10000000 + count}`, outs: { ...inputs, ...outputs } };
  },
  async read(id, props) {
    return { id, props };
  },
  async update(_id, _olds, inputs) {
    return { outs: { ...inputs, ...outputs } };
  },
  async delete() {},
};
