/**
 * An endpoint that no service holds: what is left is what the engine, its state and the host cost. It has as much in
 * state as a ComputeEndpoint.
 */
const minSize = { vcpu: 0.25, ramGb: 1, localFileCacheGb: 0.8 };
const maxSize = { vcpu: 1, ramGb: 4, localFileCacheGb: 3.2 };

exports.outputs = {
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
};
let count = 0;

exports.check = (urn, inputs) => ({ ...inputs, name: `bench-test-${urn.split('::').pop()}-12345678` });

exports.create = (inputs) => {
  count += 1;
  return {
    id: `ep-steep-wind-${10000000 + count}`,
    outputs: { ...inputs, ...exports.outputs, __schemaVersion: 1 },
  };
};
