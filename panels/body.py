"""What the active body is made of, how finely it is filled, and how it starts."""

from ..operators import ids
from ..operators.properties.influences import INFLUENCES
from .places import body, columns, is_body, is_collider

# The first numbers of every material model say what kind of goo it is; the rest refine it
_MAIN_NUMBERS = 5
_UNIT_WIDTH = 2.2  # of kg/m³, in widths of a button's icon


class BodyPanel:
    """Body: goo, size, tets."""

    bl_label = "Body"

    @classmethod
    def poll(cls, context):
        return not is_collider(context)

    def draw(self, context):
        if not is_body(context):
            self.layout.operator(ids.BODY_ADD, icon="META_BALL")
            return
        settings = body(context).dollop
        layout = self.layout
        row = layout.row(align=True)
        row.menu(ids.PRESET_MENU, text=settings.preset_label, translate=False)
        row.operator(ids.PRESET_SAVE, text="", icon="ADD")
        row.operator(ids.PRESET_REMOVE, text="", icon="REMOVE")
        columns(layout)
        size = layout.row(heading="Real Size (m)", align=True)
        size.prop(settings, "use_real_size", text="")
        value = size.row()
        value.enabled = settings.use_real_size
        value.prop(settings, "real_size", text="")
        self._draw_tets(layout, settings)
        layout.operator(ids.BODY_REMOVE, icon="X")

    def _draw_tets(self, layout, settings):
        layout.prop(settings, "method")
        layout.prop(settings, "resolution")
        layout.prop(settings, "seen")
        layout.prop(settings, "remeshing")
        if settings.remeshing != "off":
            layout.prop(settings, "remesher")
        if settings.seen == "artist":
            self._draw_refining(layout, settings)
        if settings.remeshing != "off":
            self._draw_topology(layout, settings)
        if settings.estimated_tets:
            estimate = layout.column()
            estimate.enabled = False
            estimate.prop(settings, "element_size")
            estimate.prop(settings, "estimated_tets")
        row = layout.row(align=True)
        row.operator(ids.TETRAHEDRALIZE, icon="MESH_ICOSPHERE")
        row.operator(ids.PREVIEW_REMOVE, text="", icon="X")

    def _draw_refining(self, layout, settings):
        if settings.remeshing == "off":
            layout.prop(settings, "refine_surface")
            return
        row = layout.row(heading="Refine Surface", align=True)
        row.prop(settings, "refine_surface", text="")
        value = row.row()
        value.enabled = settings.refine_surface
        value.prop(settings, "refine_length", text="")

    def _draw_topology(self, layout, settings):
        keyed = layout.column()
        keyed.use_property_decorate = True
        keyed.prop(settings, "tear_thickness")
        if settings.seen == "artist":
            layout.prop(settings, "inner_material")
        keyed = layout.column()
        keyed.use_property_decorate = True
        keyed.prop(settings, "merging")
        layout.prop(settings, "merge_group")
        layout.prop(settings, "never_merge_collection")
        if settings.never_merge_collection is not None:
            keyed = layout.column()
            keyed.use_property_decorate = True
            keyed.prop(settings, "keep_apart")


class OfBody:
    """A panel that only a body has."""

    @classmethod
    def poll(cls, context):
        return is_body(context)


class MaterialPanel(OfBody):
    """The goo's numbers, in SI units."""

    bl_label = "Material"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = body(context).dollop
        layout = columns(self.layout, keyed=True)
        layout.prop(settings, "model")
        group = getattr(settings, settings.model)
        for name in numbers(group)[:_MAIN_NUMBERS]:
            draw_number(layout, group, name)


class MaterialMorePanel(OfBody):
    """Numbers that refine the goo, and the laws it follows."""

    bl_label = "Hardening, Thickening, Laws"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = body(context).dollop
        layout = columns(self.layout, keyed=True)
        group = getattr(settings, settings.model)
        for name in numbers(group)[_MAIN_NUMBERS:]:
            draw_number(layout, group, name)
        for name in choices(group):
            layout.prop(group, name)


class CollisionPanel(OfBody):
    """What the body meets, and how finely."""

    bl_label = "Collision"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = columns(self.layout)
        layout.prop(body(context).dollop, "collision_groups")
        layout.prop(body(context).dollop, "contact_detail")


class MotionPanel(OfBody):
    """How the body starts."""

    bl_label = "First Frame"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = columns(self.layout)
        layout.prop(body(context).dollop, "velocity")
        layout.prop(body(context).dollop, "angular_velocity")


class GatheringPanel(OfBody):
    """Panels that belong together; its header names those of them that are set, as it is closed as a rule."""

    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context):
        settings = body(context).dollop
        used = [one.label for one in INFLUENCES if one.within == self.gathers and one.is_set(settings)]
        if used:
            self.layout.label(text=", ".join(used))

    def draw(self, context):
        """Its panels say it all."""


class HoldsPanel(GatheringPanel):
    """What holds the body or leads it to a shape."""

    bl_label = "Pins and Goals"
    gathers = "holds"


class ForcesPanel(GatheringPanel):
    """What pushes and pulls the body, from outside and from inside."""

    bl_label = "Forces and Volume"
    gathers = "forces"


class InfluencePanel(OfBody):
    """A panel of something that acts on the goo, drawn from its declaration."""

    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = body(context).dollop
        layout = columns(self.layout, keyed=bool(self.influence.keyed))
        for name in self.influence.in_use(settings):
            layout.prop(settings, name, icon="GROUP_VERTEX" if name.endswith("_group") else "NONE")


def influence_panel(influence):
    """Return the panel of an influence."""
    namespace = {"__doc__": influence.about, "bl_label": influence.label, "influence": influence}
    return type(f"{influence.name.capitalize()}Panel", (InfluencePanel,), namespace)


def draw_number(layout, group, name):
    """Draw one of a material's numbers with its unit behind it: Blender knows no pressures, densities or rates."""
    row = layout.row()
    row.prop(group, name)
    unit = row.row()
    unit.ui_units_x = _UNIT_WIDTH
    unit.label(text=type(group).units[name] or " ", translate=False)


def numbers(group):
    """Return the names of a material's numbers that its choices make use of, in the order of its declaration."""
    conditions = type(group).conditions
    unused = {name for name, (choice, option) in conditions.items() if getattr(group, choice) != option}
    return [item.identifier for item in group.bl_rna.properties if item.type == "FLOAT" and item.identifier not in unused]


def choices(group):
    """Return the names of a material's choices in the order of its declaration."""
    return [item.identifier for item in group.bl_rna.properties if item.type == "ENUM"]
