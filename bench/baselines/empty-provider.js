// A dynamic provider that does nothing.
const endpoint = require('./empty-endpoint.js');

const declared = ['projectId', 'branchId', 'type', 'name', 'autoscalingLimitMinCu', 'autoscalingLimitMaxCu'];

exports.provider = {
  async check(_olds, news) {
    const inputs = { ...endpoint.check(news.__urn, news), restartOnChange: 'size 0.25 to 1 CU' };
    return { inputs, failures: [] };
  },
  async diff() {
    return { changes: false };
  },
  async create(inputs) {
    const { id, outputs } = endpoint.create(inputs);
    return { id, outs: { ...outputs, __declared: declared } };
  },
  async read(id, props) {
    return { id, props };
  },
  async delete() {},
};
