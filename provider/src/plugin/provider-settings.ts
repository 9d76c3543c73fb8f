import { ProviderConfig } from '../config/provider-config';
import { isSettingName, pluginSettingNames, settingNames } from '../config/setting-names';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import type { Properties } from '../lifecycle/resource-identity';

/** What is wrong with the settings. Sends no request, and does not judge values that are not known yet. */
export function findSettingFailures(settings: Properties, environment = process.env): InputFailure[] {
  const unknown = Object.keys(settings).filter((name) => !isSettingName(name));
  if (unknown.length > 0) {
    const reason = `is not a setting of the provider; those are ${settingNames.join(', ')}`;
    // The engine would show the value of a named property, which may be a key under a misspelt name.
    return unknown.map((name) => ({ property: '', reason: `${name} ${reason}` }));
  }
  if (isUnknown(settings)) return [];
  const config = new ProviderConfig(environment, pluginSettingNames);
  config.readConfig = (name) => readSetting(settings, name);
  return config.findFailures().map((reason) => ({ property: '', reason }));
}

/** The settings that differ. */
export function findChangedSettings(olds: Properties, news: Properties): string[] {
  return settingNames.filter((name) => readSetting(olds, name) !== readSetting(news, name));
}

/** A setting as text: numbers and flags arrive as text from some languages only. */
export function readSetting(settings: Properties, name: string): string | undefined {
  const value = settings[name];
  return value === undefined || value === null ? undefined : String(value);
}
