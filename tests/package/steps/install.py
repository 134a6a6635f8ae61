"""Install a zip as Blender's own preferences do, in bpy as a module."""

import bpy
from start import arguments, report

(archive,) = arguments()
bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
report(addons=[addon.module for addon in bpy.context.preferences.addons])
